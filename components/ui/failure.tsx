import { Button } from './button';
import { Note } from './note';

/** The number under which the server logged it; a server's message never reaches the browser. */
function numberOf(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('digest' in error)) return;
  return typeof error.digest === 'string' ? error.digest : undefined;
}

/** A page that could not be shown: what is known, what was not done, what to do. */
export function Failure({ error, retry }: { error: unknown; retry: () => void }) {
  const number = numberOf(error);
  return (
    <div className="col">
      <h1>This page could not be shown</h1>
      <Note
        tone="bad"
        live
        title="Something failed on the way to this page."
        action={
          <Button size="sm" onClick={() => retry()}>
            Try again
          </Button>
        }
      >
        <p>
          Showing a page changes nothing, so nothing was done. If it fails again, tell whoever runs
          Interlock{number ? ' this number' : ''}; the log has the reason
          {number ? ' under it' : ''}.
        </p>
        {number && (
          <p>
            <span className="mono">{number}</span>
          </p>
        )}
      </Note>
    </div>
  );
}
