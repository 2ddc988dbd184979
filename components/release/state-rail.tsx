import type { CSSProperties } from 'react';
import { cx } from '@/components/ui/cx';
import { Icon } from '@/components/ui/icon';
import { type RailEntry, type RailStep, railLabel, railSteps } from './rail-steps';
import type { LineState, ReleaseStateName } from './states';

interface RailProps {
  current: ReleaseStateName;
  /** States that the release entered, oldest first. */
  history?: readonly RailEntry[];
  /** The last state on the line, where the current one is beside it and the history is not at hand. */
  reached?: LineState;
}

/**
 * The rail of states with who and when. Past: tick and solid line. Now: hue and weight, the line
 * fills with `progress` (0 to 1, from receipts). Next: dashed. Below 620 px of width it becomes the
 * icons under the current name and time.
 */
export function StateRail({
  current,
  history = [],
  reached,
  progress = 0,
}: RailProps & { progress?: number }) {
  const steps = railSteps(current, history, reached);
  const wide = steps.length > 9;
  return (
    <div className="rail-box">
      <ol
        className={cx('rail', wide && 'wide')}
        style={columns(steps)}
        aria-label="States of the release"
      >
        {steps.map((step, at) => (
          <li
            key={step.state}
            className={cx(stepClass(step), steps[at + 1]?.phase === 'off' && 'last')}
            title={step.utc ? `${step.state} ${step.utc}` : step.state}
            aria-current={step.phase === 'now' ? 'step' : undefined}
            style={step.phase === 'now' ? fill(progress) : undefined}
          >
            <Icon
              name={
                step.phase === 'done' ? 'ok' : step.phase === 'now' ? step.look.icon : 'planned'
              }
            />
            <b>{step.look.label}</b> <span>{[step.by, step.at].filter(Boolean).join(' ')}</span>
            {step.phase === 'off' && <span className="sr">not reached</span>}
          </li>
        ))}
      </ol>
    </div>
  );
}

/** The rail in a table's cell: one small bar per state. */
export function MiniRail({ current, history = [], reached }: RailProps) {
  const steps = railSteps(current, history, reached);
  return (
    <span
      className="rail mini"
      style={columns(steps, true)}
      role="img"
      aria-label={railLabel(current, steps)}
    >
      {steps.map((step) => (
        <i key={step.state} className={stepClass(step)} />
      ))}
    </span>
  );
}

function stepClass(step: RailStep): string {
  return cx(step.phase !== 'next' && step.phase, step.phase === 'now' && step.look.hue);
}

function fill(progress: number): CSSProperties {
  const percent = Math.min(100, Math.max(0, progress * 100));
  return { '--p': `${percent.toFixed(1)}%` } as CSSProperties;
}

/** "Reconciliation required" is the one name that needs more than its share of the width. */
function columns(steps: readonly RailStep[], mini = false): CSSProperties | undefined {
  if (steps.length === 9) return undefined;
  if (mini) return { gridTemplateColumns: `repeat(${steps.length}, 10px)` };
  const shares = steps.map((step) =>
    step.state === 'RECONCILIATION_REQUIRED' ? 'minmax(0, 1.6fr)' : 'minmax(0, 1fr)',
  );
  return { '--rail': shares.join(' ') } as CSSProperties;
}
