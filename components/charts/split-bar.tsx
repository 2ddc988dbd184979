import Link from 'next/link';
import { figureText } from '@/components/ui/figure-text';

export interface SplitPart {
  label: string;
  count: number;
  /** Looks that are told apart without colour. */
  look: 'strong' | 'weak' | 'hollow' | 'bad';
  href?: string;
}

/** How a whole splits up, as one bar and a legend with counts: changed, equal, removed, added. */
export function SplitBar({ parts, label }: { parts: readonly SplitPart[]; label: string }) {
  const said = parts.map((part) => `${figureText(part.count)} ${part.label}`).join(', ');
  return (
    <div className="split-box">
      <div className="split" role="img" aria-label={`${label}: ${said}`}>
        {parts.map(
          (part) =>
            part.count > 0 && (
              <i key={part.label} className={part.look} style={{ flex: part.count }} />
            ),
        )}
      </div>
      <div className="leg s">
        {parts.map((part) => {
          const inside = (
            <>
              <i className={`key ${part.look}`} aria-hidden="true" />
              {part.label} <b>{figureText(part.count)}</b>
            </>
          );
          return part.href ? (
            <Link key={part.label} href={part.href}>
              {inside}
            </Link>
          ) : (
            <span key={part.label}>{inside}</span>
          );
        })}
      </div>
    </div>
  );
}
