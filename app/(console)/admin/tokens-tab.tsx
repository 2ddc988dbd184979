import Link from 'next/link';
import { ButtonLink } from '@/components/ui/button';
import { type Column, DataTable } from '@/components/ui/data-table';
import { Empty } from '@/components/ui/empty';
import { Tag } from '@/components/ui/tag';
import { ROLES } from '@/lib/domain/permissions';
import type { AdminToken } from '@/lib/queries/admin';
import { momentText, When } from '../_parts/when';
import { roleSpelt } from '../roles';
import { RevokeToken } from './revoke-token';
import { type AdminSearch, adminHref } from './search';

/** Tokens by when they were made; a token's text is never here. */
export function TokensTable({
  tokens,
  search,
  may,
}: {
  tokens: readonly AdminToken[];
  search: AdminSearch;
  may: boolean;
}) {
  const columns: Column<AdminToken>[] = [
    {
      key: 'person',
      head: 'Of',
      card: { full: true },
      cell: ({ id, person }) => (
        <>
          <b>
            <Link href={adminHref(search, { person })}>{person}</Link>
          </b>
          <span className="s mono q">{id}</span>
        </>
      ),
    },
    {
      key: 'roles',
      head: 'Good for',
      card: { full: true, label: 'Good for' },
      cell: (token) => <GoodFor token={token} />,
    },
    {
      key: 'created',
      head: 'Made',
      card: { label: 'Made' },
      cell: ({ createdAt, createdBy }) => (
        <>
          <When zone="UTC" at={createdAt} />
          <span className="s">by {createdBy ?? 'nobody who is known'}</span>
        </>
      ),
    },
    {
      key: 'used',
      head: search.revoked ? 'Revoked' : 'Last used',
      card: { label: search.revoked ? 'Revoked' : 'Last used' },
      cell: ({ lastUsedAt, revokedAt }) => {
        const at = search.revoked ? revokedAt : lastUsedAt;
        return at === null ? <span className="q">never</span> : <When zone="UTC" at={at} />;
      },
    },
  ];
  if (may && !search.revoked) {
    columns.push({
      key: 'act',
      head: <span className="sr">Revoke</span>,
      number: true,
      card: { full: true },
      cell: (token) => (
        <RevokeToken
          token={token}
          lastUsed={token.lastUsedAt && momentText('UTC', token.lastUsedAt)}
        />
      ),
    });
  }
  return (
    <DataTable<AdminToken>
      caption="Tokens"
      cards={2}
      rows={tokens}
      rowKey={({ id }) => id}
      columns={columns}
      empty={<NoTokens search={search} />}
    />
  );
}

/** Roles that it carries and its person no longer holds are struck: they count for nothing. */
function GoodFor({ token: { roles, counts, revokedAt } }: { token: AdminToken }) {
  if (revokedAt !== null) return <span className="q">nothing, it is revoked</span>;
  const lost = roles.filter((role) => !counts.includes(role));
  // made for all that its person may, now and later
  const open = roles.length === ROLES.length;
  return (
    <>
      <span className="row role-tags">
        {counts.map((role) => (
          <Tag key={role}>{roleSpelt(role)}</Tag>
        ))}
        {counts.length === 0 && <span className="q">nothing now</span>}
      </span>
      {open && <span className="s">all that its person holds, now and later</span>}
      {!open && lost.length > 0 && (
        <span className="s">
          not for {lost.map(roleSpelt).join(', ')}, which its person does not hold
        </span>
      )}
    </>
  );
}

function NoTokens({ search }: { search: AdminSearch }) {
  const { person, revoked } = search;
  if (revoked) {
    return (
      <Empty
        title={person ? `No token of ${person} was revoked.` : 'No token was revoked.'}
        action={
          <ButtonLink size="sm" href={adminHref(search, { revoked: undefined })}>
            Tokens that count
          </ButtonLink>
        }
      />
    );
  }
  return (
    <Empty
      title={person ? `${person} has no token.` : 'There is no token.'}
      action={
        <ButtonLink size="sm" href={person ? adminHref(search, { person: undefined }) : '/admin'}>
          {person ? 'All tokens' : 'People'}
        </ButtonLink>
      }
    >
      A token is how a program is somebody: it is made for one person, and carries no more than that
      person’s roles.
    </Empty>
  );
}
