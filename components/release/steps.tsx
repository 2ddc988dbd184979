import type { ReactNode } from 'react';
import { cx } from '@/components/ui/cx';
import { Icon, type IconName } from '@/components/ui/icon';
import { ProgressBar } from '@/components/ui/progress-bar';
import type { Hue } from './states';

export interface Step {
  name: string;
  phase: 'done' | 'now' | 'next' | 'failed' | 'void';
  title: ReactNode;
  /** When it landed ("14:03:05") or after how long ("1:26"). */
  time?: ReactNode;
  note?: ReactNode;
  /** Bar of the step that is under way. */
  progress?: { done: number; total: number; label: string };
  /** The icon of a landed step that is neither a tick nor a cross. */
  icon?: IconName;
}

const LOOKS: Record<Step['phase'], { icon: IconName; hue?: Hue; said: string }> = {
  done: { icon: 'ok', hue: 'ok', said: 'done' },
  now: { icon: 'building', hue: 'run', said: 'now' },
  next: { icon: 'planned', said: 'next' },
  failed: { icon: 'bad', hue: 'bad', said: 'failed' },
  void: { icon: 'void', hue: 'idle', said: 'void' },
};

/** Steps as they land; also signatures and a history. `turning` turns the current step's icon. */
export function Steps({
  steps,
  label,
  turning = false,
}: {
  steps: readonly Step[];
  label: string;
  turning?: boolean;
}) {
  return (
    <ol className="steps" aria-label={label}>
      {steps.map((step) => {
        const look = LOOKS[step.phase];
        return (
          <li
            key={step.name}
            className={cx(step.phase === 'next' && 'next')}
            aria-current={step.phase === 'now' ? 'step' : undefined}
          >
            <Icon
              name={step.icon ?? look.icon}
              className={look.hue}
              spin={turning && step.phase === 'now'}
              label={look.said}
            />
            <span className={cx(step.phase === 'void' && 'strike')}>{step.title}</span>
            <span className={step.phase === 'void' ? 'q' : 'm'}>{step.time}</span>
            {(step.note || step.progress) && (
              <small>
                {step.progress && (
                  <ProgressBar
                    done={step.progress.done}
                    total={step.progress.total}
                    label={step.progress.label}
                  />
                )}
                {step.note}
              </small>
            )}
          </li>
        );
      })}
    </ol>
  );
}
