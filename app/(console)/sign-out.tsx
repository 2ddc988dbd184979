'use client';

import { useState } from 'react';
import { Button } from '@/components/ui/button';

/** Ends the session: a post with next-auth's token against forged forms. */
export function SignOut() {
  const [state, setState] = useState<'idle' | 'pending' | 'failed'>('idle');

  async function press() {
    setState('pending');
    try {
      const { csrfToken } = (await (await fetch('/api/auth/csrf')).json()) as {
        csrfToken: string;
      };
      const response = await fetch('/api/auth/signout', {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
        body: new URLSearchParams({ csrfToken, callbackUrl: '/sign-in', json: 'true' }),
      });
      if (!response.ok) throw new Error(String(response.status));
      window.location.assign('/sign-in');
    } catch {
      setState('failed');
    }
  }

  return (
    <>
      <Button wide icon="out" pending={state === 'pending'} onClick={press}>
        {state === 'pending' ? 'Signing out…' : 'Sign out'}
      </Button>
      {state === 'failed' && (
        <p className="s bad" role="alert">
          You are still signed in: the server did not answer. Press again.
        </p>
      )}
    </>
  );
}
