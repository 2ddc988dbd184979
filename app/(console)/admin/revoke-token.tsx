'use client';

import { PrimaryAction } from '@/components/release/primary-action';
import { say } from '@/components/ui/toaster';
import type { AdminToken } from '@/lib/queries/admin';
import { rolesSpelt } from '../roles';
import { endToken } from './actions';

/** Ends a token, after asking. */
export function RevokeToken({ token, lastUsed }: { token: AdminToken; lastUsed: string | null }) {
  const { id, person, counts } = token;
  return (
    <PrimaryAction
      label="Revoke…"
      pendingLabel="Revoking…"
      variant="no"
      size="sm"
      confirm={{
        title: `Revoke a token of ${person}?`,
        body: (
          <>
            <p>
              The next call with it is refused with 401. It cannot be undone: the program that holds
              it needs another one.
            </p>
            <p>
              It is good for {rolesSpelt(counts).join(', ') || 'nothing'}, and was{' '}
              {lastUsed === null ? 'never used' : `last used ${lastUsed}`}.
            </p>
          </>
        ),
        confirmLabel: 'Revoke the token',
      }}
      action={async () => {
        const result = await endToken({ person, id });
        return result.ok ? { ok: true } : result;
      }}
      onDone={() => say(`A token of ${person} is revoked`)}
    />
  );
}
