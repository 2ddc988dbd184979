/** The hex part of `sha256:…` (or of a bare digest). */
export function digestHex(digest: string): string {
  return digest.slice(digest.indexOf(':') + 1);
}

/** First four and last four: `f7be…8e21`. Short ones are shown whole. */
export function shortDigest(digest: string): string {
  const hex = digestHex(digest);
  return hex.length <= 12 ? hex : `${hex.slice(0, 4)}…${hex.slice(-4)}`;
}

/** The whole digest in groups of eight, where it is signed. */
export function groupedDigest(digest: string): string {
  return (digestHex(digest).match(/.{1,8}/g) ?? []).join(' ');
}
