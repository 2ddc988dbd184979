import { type Gate, Gates } from '@/components/release/gates';
import { Empty } from '@/components/ui/empty';
import { countText, figureText } from '@/components/ui/figure-text';
import { Panel } from '@/components/ui/panel';
import { durationText } from '@/components/ui/progress';
import type { AfterCheck, CutoverPage } from '@/lib/queries/cutover-view';
import { groupedText } from '../../../_parts/check-label';
import { timeText } from '../../../_parts/when';

type Done = NonNullable<CutoverPage['cutover']>;

/** What is checked after the switch, and what is watched for as long as it can be undone. */
export function AfterCutover({ page }: { page: CutoverPage }) {
  const { cutover } = page;
  if (cutover === null) {
    return (
      <Panel title="After the cutover">
        <Empty title="Nothing to check yet.">
          The tail check, the takeover check and the watch for writes to{' '}
          {page.oldGeneration ?? 'the old generation'} start with the switch and show here, usually
          within 3 s.
        </Empty>
      </Panel>
    );
  }
  return (
    <Gates
      title="After the cutover"
      gates={[...checkGates(page, cutover), ...leftGates(page, cutover)]}
    />
  );
}

const LABELS: Record<AfterCheck['name'], (done: Done) => string> = {
  tail: () => 'Tail check around the barrier',
  takeover: (done) => `Takeover by ${done.to}`,
  oldWrites: (done) => `Writes to ${done.from}`,
};

const NOTES: Record<AfterCheck['name'], (done: Done) => string> = {
  tail: () => 'every event up to the barrier is in the new generation, none is missing',
  takeover: (done) => `the next live events came under epoch ${done.epochAfter}, new transform`,
  oldWrites: () => 'must stay at 0 but for the replay of a rollback',
};

function checkGates(page: CutoverPage, done: Done): Gate[] {
  if (done.checks.length === 0) {
    return [
      {
        name: 'checks',
        verdict: 'running',
        label: 'Tail, takeover and writes to the old generation',
        figure: 'being checked',
      },
    ];
  }
  return done.checks.map((check): Gate => {
    const kept = done.fromState === 'kept';
    const watching = check.passed && check.name === 'oldWrites' && kept;
    return {
      name: check.name,
      verdict: check.waiting
        ? 'pending'
        : watching
          ? 'watching'
          : check.passed
            ? 'passed'
            : 'failed',
      label: LABELS[check.name](done),
      figure: groupedText(check.figure),
      tag: watching ? 'watching' : timeText(page.zone, check.at),
      note: check.waiting ? 'waits for the first event after the switch' : NOTES[check.name](done),
    };
  });
}

function leftGates(page: CutoverPage, done: Done): Gate[] {
  const gates: Gate[] = [
    {
      name: 'applied',
      verdict: page.serving && done.lagSeconds > 60 ? 'running' : 'passed',
      label: 'Events applied since the barrier',
      figure: figureText(done.applied),
      tag: page.serving ? `lag ${durationText(done.lagSeconds)}` : 'not serving any more',
    },
    {
      name: 'readers',
      verdict: done.openLeases > 0 ? 'watching' : 'passed',
      label: `Readers still on ${done.from}`,
      figure: countText(done.openLeases, 'lease'),
      ...(done.leasesUntil === null
        ? {}
        : { tag: `until ${timeText(page.zone, done.leasesUntil)}` }),
    },
  ];
  return gates;
}
