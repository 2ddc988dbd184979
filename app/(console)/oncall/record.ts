import { clockText, durationText } from '@/components/ui/progress';
import { plural } from '@/lib/domain/figures';
import { ROLLBACK_LIMIT_SECONDS, type RollbackState } from '@/lib/domain/rollback';
import type { OncallRelease, PastRollback, RollbackRun } from '@/lib/queries/oncall-view';
import { momentText } from '../_parts/when';
import { tookText } from './took-text';

/** What a record says of a rollback beyond its own row. */
export interface Recorded extends PastRollback {
  /** Whose signature it went by, where that is known. */
  signed?: { person: string; at: string; digest: string };
  cutover?: { by: string; at: string };
}

/** The record of how the newest rollback of a release ended. */
export function recordOf(release: OncallRelease, run: RollbackRun): Recorded {
  const signature = release.signatures.find((s) => s.standing);
  const { dataset, zone, generation, oldGeneration } = release;
  return {
    id: run.id,
    release: release.release,
    dataset,
    zone,
    state: run.state,
    by: run.by,
    why: run.why,
    requestedAt: run.requestedAt,
    endedAt: run.endedAt ?? run.requestedAt,
    seconds: run.elapsedSeconds,
    events: run.state === 'done' ? run.eventsReplayed : run.eventsToReplay,
    generation,
    oldGeneration,
    steps: run.steps,
    ...(signature
      ? { signed: { person: signature.person, at: signature.at, digest: signature.digest } }
      : {}),
    cutover: { by: release.cutoverBy, at: release.cutoverAt },
  };
}

const ENDS: Partial<Record<RollbackState, string>> = {
  done: 'done',
  called_off: 'called off before the switch',
  failed: 'stopped, it did not come through',
};

/**
 * A rollback as plain text, to be pasted into an incident: what, who, when in the dataset's zone and
 * in UTC, each step, what was replayed, and the measured time against its limit.
 *
 * @param site where this console is, for the link
 */
export function recordText(record: Recorded, site: string): string {
  const { release, dataset, zone, state, seconds, generation, oldGeneration } = record;
  const at = (instant: string) => `${momentText(zone, instant)} (${instant})`;
  const done = state === 'done';
  const serves = done ? oldGeneration : generation;
  return [
    `Rollback of ${release} on ${dataset}: ${ENDS[state] ?? state}`,
    '',
    `Measured time: ${measuredText(seconds)}`,
    `Asked for by ${record.by}, ${at(record.requestedAt)}`,
    `Ended ${at(record.endedAt)}`,
    `${state === 'failed' ? 'What stopped it' : 'Why'}: ${record.why ?? 'no reason was given'}`,
    `From ${generation} to ${oldGeneration}; ${dataset} serves ${serves}${done ? '' : ' as before'}`,
    `Events written since the cutover: ${plural(BigInt(record.events), 'event')}, ${
      done ? 'each replayed once, none lost' : 'none lost, what was replayed stays'
    }`,
    ...(record.signed
      ? [
          `Signed by ${record.signed.person}, ${at(record.signed.at)}, evidence ${record.signed.digest}`,
        ]
      : []),
    ...(record.cutover ? [`Cut over by ${record.cutover.by}, ${at(record.cutover.at)}`] : []),
    '',
    'Steps, minutes and seconds after it was asked for:',
    ...stepLines(record),
    '',
    `${site}/releases/${release}`,
  ].join('\n');
}

function measuredText(seconds: number): string {
  const over = seconds - ROLLBACK_LIMIT_SECONDS;
  const against = `${tookText(seconds)} of ${clockText(ROLLBACK_LIMIT_SECONDS)}`;
  return `${against}, ${over > 0 ? `late by ${durationText(over)}` : 'in time'}`;
}

function stepLines({ steps, events, oldGeneration }: Recorded): string[] {
  const words = {
    replay: `replayed into ${oldGeneration}, readers and writers where they were`,
    seal: 'ingress sealed, the second barrier fixed',
    tail: `tail replayed and checked, ${plural(BigInt(events), 'event')} in all`,
    switch: `switched back to ${oldGeneration}`,
  };
  const landed = steps.filter((step) => step.endedAt !== null);
  if (landed.length === 0) return ['  none landed'];
  return landed.map(({ step, atSeconds }) => `  ${clockText(atSeconds)} ${words[step]}`);
}
