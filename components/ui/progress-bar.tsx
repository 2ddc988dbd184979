import { cx } from './cx';
import { percent } from './progress';

/**
 * A bar of work done. `done` and `total` are counts from receipts. Set `total` to null where it is
 * not known yet: the bar stays empty and says so instead of inventing a share.
 */
export function ProgressBar({
  done,
  total,
  label,
  hue = 'run',
}: {
  done: number;
  total: number | null;
  /** What is counted: "partitions built". */
  label: string;
  hue?: 'run' | 'ok' | 'near' | 'bad' | 'wait';
}) {
  const share = total === null ? 0 : percent(done, total);
  return (
    <div
      className={cx('bar', hue !== 'run' && hue)}
      role="progressbar"
      aria-label={label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={total === null ? undefined : share}
      aria-valuetext={
        total === null ? `${done}, of how many is not known yet` : `${done} of ${total}`
      }
    >
      <i style={{ width: `${share}%` }} />
    </div>
  );
}
