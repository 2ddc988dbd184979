/**
 * Times arrive as text made by the rules of the dataset's zone; these two only set them, with the
 * exact UTC instant on hover. There is no bare date and no interval with one end.
 */

/** A half-open interval: `[2011-10-30 00:00 BST, 2011-10-31 00:00 GMT) Europe/London`. */
export function Interval({
  from,
  to,
  zone,
  fromUtc,
  toUtc,
}: {
  /** Wall-clock texts of both ends, with the offset's name where the ends differ in it. */
  from: string;
  to: string;
  zone: string;
  /** RFC 3339 instants of both ends. */
  fromUtc: string;
  toUtc: string;
}) {
  return (
    <span className="iv" title={`[${fromUtc}, ${toUtc})`}>
      <span className="nw">[{from},</span> <span className="nw">{to})</span> {zone}
    </span>
  );
}

/** A moment: `12 Dec 2011 14:03:05 GMT`, or the time alone on the same day of a live page. */
export function Moment({ text, utc }: { text: string; utc: string }) {
  return (
    <time className="nw" dateTime={utc} title={utc}>
      {text}
    </time>
  );
}
