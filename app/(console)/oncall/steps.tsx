import type { Step } from '@/components/release/steps';
import { DigestChip } from '@/components/ui/digest-chip';
import { figureText } from '@/components/ui/figure-text';
import { clockText } from '@/components/ui/progress';
import type { OncallRelease, RollbackRun, RollbackStep } from '@/lib/queries/oncall-view';
import { momentText } from '../_parts/when';

/** A rollback as its steps: those that landed with their time, the one under way, those to come. */
export function stepsOf(release: OncallRelease, run: RollbackRun): Step[] {
  const signature = release.signatures.find((s) => s.standing);
  const at = (name: RollbackStep['step']) => run.steps.find((step) => step.step === name);
  const order = ['replay', 'seal', 'tail', 'switch'] as const;
  const firstOpen = order.findIndex((name) => at(name)?.endedAt == null);
  const rate = run.elapsedSeconds > 0 ? Number(run.eventsReplayed) / run.elapsedSeconds : 0;
  const replayed = Number(run.eventsReplayed);
  const total = Math.max(Number(run.eventsToReplay), replayed);
  const count = `${figureText(replayed)} of ${figureText(total)}`;
  const progress = { done: replayed, total, label: 'Events replayed' };
  /** @param titles while it runs or is to come, and once it landed */
  const step = (name: RollbackStep['step'], titles: [string, string], note: string): Step => {
    const landed = at(name);
    const [open, done] = titles;
    if (landed?.endedAt) {
      return { name, phase: 'done', title: done, time: clockText(landed.atSeconds), note };
    }
    if (order.indexOf(name) !== firstOpen) return { name, phase: 'next', title: open, note };
    const now: Step = {
      name,
      phase: 'now',
      title: open,
      time: clockText(run.elapsedSeconds),
      note,
    };
    const replays = name === 'replay' || name === 'tail';
    return replays ? { ...now, title: `${open}, ${count}`, progress } : now;
  };
  const speed = rate >= 1 ? `${figureText(Math.round(rate))} events/s, ` : '';
  return [
    {
      name: 'requested',
      phase: 'done',
      title: (
        <>
          Requested by <b>{run.by}</b>
        </>
      ),
      time: '0:00',
      note: run.why ?? 'no reason was given',
    },
    {
      name: 'signed',
      phase: 'done',
      title: signature ? (
        <>
          Signature stands, <b>{signature.person}</b>
        </>
      ) : (
        'Signature stood at the request'
      ),
      time: '0:00',
      note: signature && (
        <>
          signed {momentText(release.zone, signature.at)}, binds{' '}
          <DigestChip value={signature.digest} />
        </>
      ),
    },
    step(
      'replay',
      [`Replaying into ${release.oldGeneration}`, `Replayed into ${release.oldGeneration}`],
      `${firstOpen === 0 ? speed : ''}readers and writers still on ${release.generation}`,
    ),
    step(
      'seal',
      [`Seal epoch ${run.epoch}`, `Sealed epoch ${run.epoch}`],
      'fixes the second barrier; new events are buffered',
    ),
    step(
      'tail',
      ['Replay the tail, and check it', 'Replayed the tail, and checked it'],
      'every event up to the second barrier, once',
    ),
    step(
      'switch',
      [`Switch back to ${release.oldGeneration}`, `Switched back to ${release.oldGeneration}`],
      `one compare-and-set; until then readers see ${release.generation}`,
    ),
  ];
}
