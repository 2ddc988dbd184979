import Link from 'next/link';
import { DataTable } from '@/components/ui/data-table';
import { Empty } from '@/components/ui/empty';
import { Figure } from '@/components/ui/figure';
import { figureText } from '@/components/ui/figure-text';
import { Icon } from '@/components/ui/icon';
import { Panel } from '@/components/ui/panel';
import { subtractDecimals } from '@/lib/domain/decimal';
import type { ApprovalPage } from '@/lib/queries/approval-view';
import type { CutoverMarks } from '@/lib/queries/cutover-marks';
import { address } from '../../../_parts/search';
import { edgeText } from '../../../_parts/when';
import { MarkSentences } from '../marks';
import type { MetricChange } from './metrics';

interface Change {
  name: string;
  what: string;
  now: string | null;
  after: string | null;
  difference: string | null;
  link: boolean;
}

const DONE = ['ACTIVE', 'RETIRED', 'ROLLED_BACK'];

/** What readers will see differ, in figures and in sentences. */
export function Changes({
  page,
  metrics,
  marks,
}: {
  page: ApprovalPage;
  metrics: readonly MetricChange[];
  marks: CutoverMarks;
}) {
  const ended = ['REJECTED', 'ABANDONED'].includes(page.state);
  const whole = `/releases/${page.release}/reconciliation`;
  if (page.totals === null) {
    return (
      <Panel title={ended ? 'What would have changed' : 'What will change'}>
        <Empty
          title={ended ? 'There is no evidence.' : 'There is no evidence to sign yet.'}
          action={
            <Link className="btn" href={whole}>
              To the rehearsal
            </Link>
          }
        >
          {notYet(page)}
        </Empty>
        <ul className="sentences">
          <MarkSentences marks={marks} {...page} />
        </ul>
      </Panel>
    );
  }
  const done = DONE.includes(page.state);
  return (
    <Panel
      title={done ? 'What changed' : 'What will change'}
      aside={
        <Link className="s" href={whole}>
          whole reconciliation
        </Link>
      }
    >
      <DataTable<Change>
        caption="Figures now and after the cutover"
        cards={3}
        rows={changesOf(page, metrics)}
        rowKey={(row) => row.name}
        columns={[
          {
            key: 'name',
            head: <span className="sr">Figure</span>,
            card: { full: true },
            cell: (row) => (
              <>
                <b>{row.name}</b> <span className="q">{row.what}</span>
              </>
            ),
          },
          {
            key: 'now',
            head: `${done ? 'Before' : 'Now'}, ${page.oldGeneration}`,
            number: true,
            card: { label: done ? 'Before' : 'Now' },
            cell: (row) => <Value text={row.now} />,
          },
          {
            key: 'after',
            head: `After, ${page.generation}`,
            number: true,
            card: { label: 'After' },
            cell: (row) => <Value text={row.after} />,
          },
          {
            key: 'difference',
            head: 'Difference',
            number: true,
            card: { label: 'Difference' },
            cell: (row) =>
              row.difference === null ? (
                <span className="q">–</span>
              ) : (
                <Figure
                  value={row.difference}
                  signed
                  {...(row.link ? { href: `${whole}#diff` } : {})}
                />
              ),
          },
        ]}
      />
      <Sentences page={page} marks={marks} />
    </Panel>
  );
}

function Value({ text }: { text: string | null }) {
  return text === null ? <span className="q">none</span> : <Figure value={text} />;
}

function changesOf(page: ApprovalPage, metrics: readonly MetricChange[]): Change[] {
  const { totals } = page;
  if (totals === null) return [];
  const conserved = page.conserved.map(
    (sum): Change => ({
      name: sum.name,
      what: 'conserved',
      now: sum.old,
      after: sum.new,
      difference: subtractDecimals(sum.new, sum.old),
      link: false,
    }),
  );
  const named = new Set(conserved.map((change) => change.name));
  return [
    {
      name: 'Rows',
      what: `in ${figureText(totals.partitions)} rebuilt partitions`,
      now: totals.oldRows,
      after: totals.newRows,
      difference: subtractDecimals(totals.newRows, totals.oldRows),
      link: true,
    },
    ...conserved,
    ...metrics
      .filter((metric) => !named.has(metric.name))
      .map((metric): Change => ({ ...metric, what: 'rollup', link: true })),
  ];
}

function Sentences({ page, marks }: { page: ApprovalPage; marks: CutoverMarks }) {
  const { from, to, zone, totals } = page;
  const explained = page.groups
    .filter((group) => group.class === 'explained')
    .reduce((all, group) => all + BigInt(group.rows), 0n);
  const rules = [...new Set(page.groups.flatMap((group) => group.rule ?? []))];
  return (
    <ul className="sentences">
      {from !== null && (
        <li>
          <Icon name="inherit" className="idle" />
          <span>
            Everything before {edgeText(zone, from)}
            {to !== null && ` and from ${edgeText(zone, to)} on`} is inherited by reference, byte
            for byte.
          </span>
        </li>
      )}
      <li>
        <Icon name="neq" className="idle" />
        <span>
          {figureText(explained)} rows change as{' '}
          {rules.length === 0 ? 'no rule' : <b>{rules.join(', ')}</b>} declares,{' '}
          <b>{figureText(totals?.unexplained ?? '0')} unexplained</b>.
        </span>
      </li>
      {totals !== null && totals.drift !== '0' && (
        <li>
          <Icon name="drift" className="wait" />
          <span>
            <b>{figureText(totals.drift)} rows of drift</b>, served rows that their own transform
            does not yield, are replaced by what the facts yield.
          </span>
        </li>
      )}
      <MarkSentences marks={marks} {...page} />
      <Sealed page={page} />
      {page.quarantined > 0 && (
        <li>
          <Icon name="warn" className="wait" />
          <span>
            <b>{figureText(page.quarantined)} quarantined events</b> have no row in the new
            generation; they were accepted by name.
          </span>
        </li>
      )}
    </ul>
  );
}

/** What was published goes on being served; the cutover says beside it what would differ. */
function Sealed({ page }: { page: ApprovalPage }) {
  const sealed = page.evidence?.parts.sealedPartitions ?? [];
  const [first] = sealed;
  if (!first) return null;
  const one = sealed.length === 1;
  return (
    <li>
      <Icon name="lock" className="seal" />
      <span>
        <b>
          {figureText(sealed.length)} {one ? 'partition' : 'partitions'} of the range{' '}
          {one ? 'is' : 'are'} sealed
        </b>{' '}
        and {one ? 'keeps' : 'keep'} what was published; where it would be another figure, the
        cutover writes a correction instead.{' '}
        <Link
          href={address('/corrections', {
            dataset: page.dataset,
            from: page.from ?? first.start,
            to: page.to ?? undefined,
          })}
        >
          Published figures
        </Link>
      </span>
    </li>
  );
}

function notYet(page: ApprovalPage): string {
  switch (page.state) {
    case 'DRAFT':
    case 'SNAPSHOT_PINNED':
    case 'BUILDING':
      return 'Final evidence is made at the barrier, after ingress was sealed. Until then the rehearsal shows what it will be.';
    case 'INGRESS_SEALED':
    case 'CAUGHT_UP':
      return 'Ingress is sealed; the candidate catches up to the barrier and is compared there. It appears here within seconds of that.';
    case 'RECONCILIATION_REQUIRED':
      return 'Something does not agree, so the evidence does not stand.';
    default:
      return 'The release ended without evidence at a barrier.';
  }
}
