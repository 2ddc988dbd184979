import { Conditions } from '@/components/release/conditions';
import { cx } from '@/components/ui/cx';
import { DigestChip } from '@/components/ui/digest-chip';
import { Empty } from '@/components/ui/empty';
import { figureText } from '@/components/ui/figure-text';
import { Panel } from '@/components/ui/panel';
import { durationText } from '@/components/ui/progress';
import { isInstant } from '@/lib/domain/instant';
import type { CutoverCondition, CutoverPage } from '@/lib/queries/cutover-view';
import { TimeOfDay, When } from '../../../_parts/when';
import { CONDITION_LABELS } from './conditions';

const ENDED = ['REJECTED', 'ABANDONED'];
const NAMES = new Set(['GENERATION_MOVED']);

/** The compare-and-set: every condition with what it expects and what is there now. */
export function Switch({ page }: { page: CutoverPage }) {
  const { conditions, cutover } = page;
  if (cutover !== null) return <Won page={page} cutover={cutover} />;
  if (page.generation === null || ENDED.includes(page.state)) return <NoSwitch page={page} />;
  const holds = conditions.filter((c) => c.holds).length;
  const hue = holds === conditions.length ? 'ok' : 'wait';
  return (
    <Panel
      title="The switch"
      note={
        <span className={cx('st', hue)}>
          {holds} of {conditions.length} conditions hold
        </span>
      }
      aside={<span className="s m hide-m">read again inside the transaction</span>}
      flush
    >
      <Conditions
        conditions={conditions.map((condition) => ({
          name: condition.code,
          holds: condition.holds,
          label: CONDITION_LABELS[condition.code] ?? condition.code,
          expected: <Side condition={condition} side="expected" zone={page.zone} />,
          current: <Side condition={condition} side="current" zone={page.zone} />,
        }))}
      />
    </Panel>
  );
}

function NoSwitch({ page }: { page: CutoverPage }) {
  return (
    <Panel title="The switch">
      <Empty
        title={
          page.generation === null ? 'There is no candidate yet.' : 'It ended before a cutover.'
        }
      >
        {page.generation === null
          ? 'Pinning makes it. From then on every condition of the compare-and-set stands here, with what it expects and what is there.'
          : `${page.release} is over: no pointer was moved, and its candidate was dropped.`}
      </Empty>
    </Panel>
  );
}

function Side({
  condition,
  side,
  zone,
}: {
  condition: CutoverCondition;
  side: 'expected' | 'current';
  zone: string;
}) {
  const text = condition[side];
  if (text === null) {
    return condition.code === 'DEADLINE_PASSED' ? (
      condition.holds ? (
        'before it'
      ) : (
        'passed'
      )
    ) : (
      <span className="q">none</span>
    );
  }
  if (text.startsWith('sha256:')) return <DigestChip value={text} />;
  if (isInstant(text)) return <When zone={zone} at={text} />;
  return NAMES.has(condition.code) ? <span className="mono">{text}</span> : text;
}

/** After it: the conditions as they were when it won. */
function Won({
  page,
  cutover,
}: {
  page: CutoverPage;
  cutover: NonNullable<CutoverPage['cutover']>;
}) {
  const sum = cutover.barrier.reduce((all, offset) => all + BigInt(offset), 0n);
  const rows = [
    [
      'Active generation',
      <span key="expected" className="mono">
        {cutover.from}
      </span>,
      <span key="current" className="mono">
        {cutover.from}
      </span>,
    ],
    ['Ingress', `epoch ${cutover.epochBefore}, sealed`, `epoch ${cutover.epochBefore}, sealed`],
    [
      'Both generations at the barrier',
      `Σ ${figureText(sum)}`,
      `${cutover.barrier.length} of ${cutover.barrier.length} shards`,
    ],
  ] as const;
  return (
    <Panel
      title="The switch"
      note={
        <span className="st ok">
          won by {cutover.by}, <TimeOfDay zone={page.zone} at={cutover.at} />
        </span>
      }
      aside={
        cutover.fromState === 'kept' &&
        page.rollbackWindowSeconds !== null && (
          <span className="s m hide-m">
            can be rolled back for {durationText(page.rollbackWindowSeconds)}
          </span>
        )
      }
      flush
    >
      <Conditions
        currentHead="At the switch"
        conditions={[
          ...rows.map(([label, expected, current]) => ({
            name: label,
            holds: true,
            label,
            expected,
            current,
          })),
          {
            name: 'evidence',
            holds: true,
            label: 'Evidence, signed',
            expected: <DigestChip value={cutover.evidence} />,
            current: <DigestChip value={cutover.evidence} />,
          },
        ]}
      />
    </Panel>
  );
}
