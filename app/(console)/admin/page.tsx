import type { Metadata } from 'next';
import Link from 'next/link';
import { PageTop } from '@/components/shell/page-top';
import { countText, figureText } from '@/components/ui/figure-text';
import { Filters } from '@/components/ui/filters';
import { PageHead } from '@/components/ui/page-head';
import { Panel } from '@/components/ui/panel';
import { may, ROLES, type Role, rolesFor, sayVerb, VERBS } from '@/lib/domain/permissions';
import {
  type AdminCounts,
  adminCounts,
  adminDatasets,
  adminPeople,
  adminSources,
  adminTokens,
} from '@/lib/queries/admin';
import { adminBudgets } from '@/lib/queries/admin-budgets';
import { subscriberList } from '@/lib/queries/notices';
import { overviewStamp, subscriberStamp } from '@/lib/queries/stamp';
import type { Actor } from '@/lib/services/context';
import { rolesOf } from '@/lib/services/people';
import { webDatabase } from '@/lib/web/db';
import { signedIn } from '@/lib/web/session';
import { NoAccess } from '../_parts/access';
import { type Search, said } from '../_parts/search';
import { asOf } from '../_parts/when';
import { LiveRefresh } from '../live-refresh';
import { roleSpelt } from '../roles';
import { AddSubscriber } from './add-subscriber';
import { BudgetsTable } from './budgets-tab';
import { DatasetsTable } from './datasets-tab';
import { MakePerson } from './make-person';
import { MakeToken } from './make-token';
import { More, pageOf } from './paging';
import { FindPerson, PeopleTable } from './people-tab';
import type { Grants } from './role-change';
import { OFFERED } from './role-words';
import { type AdminSearch, adminHref, adminSearch, TABS, type Tab } from './search';
import { SourcesTable } from './sources-tab';
import { SubscribersTable } from './subscribers-tab';
import { TokensTable } from './tokens-tab';
import '../_parts/parts.css';
import './admin.css';

export const metadata: Metadata = { title: 'Admin' };

const TAB_WORDS: Record<Tab, string> = {
  people: 'People',
  tokens: 'Tokens',
  datasets: 'Datasets',
  sources: 'Sources',
  budgets: 'Budgets',
  subscribers: 'Subscribers',
};

/** What each role may do, as the permission table says it. */
const GRANTS = Object.fromEntries(
  ROLES.map((role) => [role, VERBS.filter((verb) => rolesFor(verb).includes(role)).map(sayVerb)]),
) as Record<Role, string[]> satisfies Grants;

interface TabProps {
  actor: Actor;
  search: AdminSearch;
  cursor: string | undefined;
  counts: AdminCounts;
}

/** Who may do what, and under which rules datasets and sources stand. */
export default async function Admin({ searchParams }: { searchParams: Promise<Search> }) {
  const actor = await signedIn('/admin');
  if (!may(actor.roles, 'people.read')) {
    return (
      <>
        <PageTop crumbs={[{ label: 'Admin' }]} />
        <NoAccess
          actor={actor}
          verb="people.read"
          what="People and their roles, tokens, and the policies of datasets and sources."
        />
      </>
    );
  }
  const given = await searchParams;
  const search = adminSearch(given);
  const counts = await adminCounts(webDatabase());
  const props = { actor, search, counts, cursor: said(given, 'cursor') };
  return (
    <>
      <PageTop crumbs={[{ label: 'Admin' }]} asOf={asOf('UTC')(counts)} />
      <PageHead
        title="Admin"
        facts={['Every change here is a row in the audit chain, with who made it.']}
        action={await primary(props)}
      />
      <div className="stack">
        <nav className="tabs" aria-label="Admin">
          {TABS.map((tab) => (
            <Link
              key={tab}
              href={adminHref(search, { tab })}
              aria-current={tab === search.tab ? 'page' : undefined}
            >
              {TAB_WORDS[tab]} <i>{figureText(counts[tab])}</i>
            </Link>
          ))}
        </nav>
        <Panel label={TAB_WORDS[search.tab]} flush>
          {await tabOf(props)}
        </Panel>
      </div>
    </>
  );
}

/** The tab's one filled button, for who may press it. */
async function primary({ actor, search: { tab, person } }: TabProps) {
  if (tab === 'people' && may(actor.roles, 'people.write')) return <MakePerson />;
  if (tab === 'subscribers' && may(actor.roles, 'subscriber.manage')) {
    const datasets = await adminDatasets(webDatabase());
    return <AddSubscriber datasets={datasets.map(({ name }) => name)} />;
  }
  if (tab !== 'tokens' || person === undefined || !may(actor.roles, 'token.create')) return;
  const roles = await rolesOf(webDatabase(), person);
  return roles && <MakeToken person={person} roles={roles} size="md" />;
}

async function tabOf(props: TabProps) {
  const { actor, search } = props;
  if (search.tab === 'people') return people(props);
  if (search.tab === 'tokens') return tokens(props);
  if (search.tab === 'budgets') return budgets(props);
  if (search.tab === 'subscribers') return subscribers(props);
  const db = webDatabase();
  return search.tab === 'datasets' ? (
    <DatasetsTable datasets={await adminDatasets(db)} may={may(actor.roles, 'dataset.apply')} />
  ) : (
    <SourcesTable sources={await adminSources(db)} may={may(actor.roles, 'source.apply')} />
  );
}

async function people({ actor, search, cursor, counts }: TabProps) {
  const page = await pageOf(cursor, (request) =>
    adminPeople(webDatabase(), { text: search.text, role: search.role }, request),
  );
  return (
    <>
      <div className="pad filter-line">
        <FindPerson search={search} key={search.text ?? ''} />
        <Filters
          label="Role"
          current={search.role ?? ''}
          items={[
            {
              value: '',
              label: 'All',
              count: counts.people,
              href: adminHref(search, { role: undefined }),
            },
            ...OFFERED.map((role) => ({
              value: role,
              label: roleSpelt(role),
              count: counts.roles[role] ?? 0,
              href: adminHref(search, { role }),
            })),
          ]}
        />
      </div>
      <PeopleTable
        people={page.items}
        search={search}
        may={may(actor.roles, 'people.write')}
        grants={GRANTS}
        holders={counts.roles}
        self={actor.person}
      />
      <More
        page={page}
        text={`${countText(page.items.length, 'person', 'people')}, by name`}
        cursor={cursor}
        search={search}
      />
    </>
  );
}

async function tokens({ actor, search, cursor, counts }: TabProps) {
  const page = await pageOf(cursor, (request) =>
    adminTokens(
      webDatabase(),
      { person: search.person, revoked: search.revoked !== undefined },
      request,
    ),
  );
  const mine = search.person === undefined;
  return (
    <>
      <div className="pad filter-line">
        <Filters
          label="Tokens"
          current={search.revoked ?? ''}
          items={[
            {
              value: '',
              label: 'In use',
              ...(mine ? { count: counts.tokens } : {}),
              href: adminHref(search, { revoked: undefined }),
            },
            {
              value: '1',
              label: 'Revoked',
              ...(mine ? { count: counts.revoked } : {}),
              href: adminHref(search, { revoked: '1' }),
            },
          ]}
        />
        {search.person === undefined ? (
          may(actor.roles, 'token.create') && (
            <span className="s m">
              A token is made for one person: choose one under{' '}
              <Link href={adminHref(search, { tab: 'people' })}>People</Link>.
            </span>
          )
        ) : (
          <Filters
            label="Person"
            current="one"
            items={[
              { value: 'one', label: `of ${search.person}`, href: adminHref(search, {}) },
              {
                value: '',
                label: 'of everybody',
                href: adminHref(search, { person: undefined }),
              },
            ]}
          />
        )}
      </div>
      <TokensTable tokens={page.items} search={search} may={may(actor.roles, 'token.revoke')} />
      <More
        page={page}
        text={`${countText(page.items.length, 'token')}, newest first`}
        cursor={cursor}
        search={search}
      />
    </>
  );
}

async function budgets({ search, cursor, counts }: TabProps) {
  const db = webDatabase();
  const { stamp } = await overviewStamp(db);
  const page = await pageOf(cursor, (request) => adminBudgets(db, request));
  return (
    <>
      <LiveRefresh url="/live/stamp" stamp={stamp} asOf={asOf('UTC')(counts)} />
      {page.items.length > 0 && (
        <div className="pad filter-line">
          <p className="s m">
            What each release uses of what it may. A limit is changed on the release’s build page,
            up to what was frozen at the pin: follow its name.
          </p>
        </div>
      )}
      <BudgetsTable budgets={page.items} />
      <More
        page={page}
        text={`${countText(page.items.length, 'release')}, newest first`}
        cursor={cursor}
        search={search}
      />
    </>
  );
}

async function subscribers({ actor, search, cursor, counts }: TabProps) {
  const db = webDatabase();
  const manages = may(actor.roles, 'subscriber.manage');
  const { stamp } = await subscriberStamp(db);
  const page = await pageOf(cursor, (request) =>
    subscriberList(db, { whole: manages, ended: search.ended !== undefined }, request),
  );
  return (
    <>
      <LiveRefresh url="/live/stamp?of=subscribers" stamp={stamp} asOf={asOf('UTC')(counts)} />
      <div className="pad filter-line">
        <Filters
          label="Subscribers"
          current={search.ended ?? ''}
          items={[
            {
              value: '',
              label: 'Told',
              count: counts.subscribers,
              href: adminHref(search, { ended: undefined }),
            },
            {
              value: '1',
              label: 'Ended',
              count: counts.ended,
              href: adminHref(search, { ended: '1' }),
            },
          ]}
        />
      </div>
      <SubscribersTable subscribers={page.items} ended={search.ended !== undefined} may={manages} />
      <More
        page={page}
        text={`${countText(page.items.length, 'subscriber')}, by name`}
        cursor={cursor}
        search={search}
      />
    </>
  );
}
