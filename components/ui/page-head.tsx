import type { ReactNode } from 'react';

/**
 * The first lines of a page: name, state, digest; then facts (what, into which generation, owner,
 * deadline), then what needs a line of its own (`interval`). `action` is the page's one primary
 * action, or the stamp in its place.
 */
export function PageHead({
  title,
  badges,
  facts = [],
  interval,
  action,
}: {
  title: ReactNode;
  badges?: ReactNode;
  facts?: readonly ReactNode[];
  interval?: ReactNode;
  action?: ReactNode;
}) {
  return (
    <div className="head">
      <div className="col">
        <div className="title">
          <h1>{title}</h1>
          {badges}
        </div>
        {facts.length > 0 && (
          <div className="facts">
            {facts.map((fact, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: facts are fixed in number and order.
              <span key={at}>{fact}</span>
            ))}
          </div>
        )}
        {interval && <div className="facts">{interval}</div>}
      </div>
      {action && <div className="row head-act">{action}</div>}
    </div>
  );
}
