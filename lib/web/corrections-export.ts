import { createHash } from 'node:crypto';
import type { Database } from '@/lib/db/client';
import { canonicalJson, type Digest, formatDigest, tagBytes } from '@/lib/digest/canonical';
import type { PartitionFigures } from '@/lib/domain/correction';
import {
  type CorrectionFilter,
  type CorrectionItem,
  correctionList,
  correctionMetrics,
} from '@/lib/queries/corrections';
import { csvLine } from '@/lib/web/csv';

export type ExportFormat = 'csv' | 'json';

/** More corrections than this are not exported at once; the answer says that it was cut. */
export const EXPORT_LIMIT = 100_000;
/** Under which the digest of an export's items is made: SHA-256(tag ‖ 0x00 ‖ canonical JSON). */
export const EXPORT_TAG = 'interlock.corrections.v1';

const PAGE = 500;

export interface CorrectionExport {
  /** The file, piece by piece; its bytes are what `Content-Digest` is over. */
  parts: Buffer[];
  headers: Record<string, string>;
  count: number;
  /** There are more than `EXPORT_LIMIT`: the newest ones are here. */
  cut: boolean;
}

/**
 * The corrections that a filter chooses, newest first, as one file with a digest of its bytes
 * (RFC 9530) in the header, so that whoever keeps it can show later that it is what was given out.
 *
 * CSV is RFC 4180: header, CRLF, exact text. NULL is an empty field, an empty text is `""`. A text
 * that a spreadsheet would run as a formula (`=`, `+`, `-`, `@` at its head) gets an apostrophe before
 * it; numbers stay as they are. JSON also holds a digest of the canonical form of its items, which
 * survives being formatted anew.
 */
export async function exportCorrections(
  db: Database,
  filter: CorrectionFilter,
  format: ExportFormat,
  limit = EXPORT_LIMIT,
): Promise<CorrectionExport> {
  const items: string[] = [];
  const metrics = await correctionMetrics(db, filter.dataset);
  const write = format === 'csv' ? csvRow(metrics) : canonicalJson;
  let count = 0;
  let cut = false;
  for (let cursor: string | undefined; ; ) {
    const page = await correctionList(db, filter, { limit: Math.min(PAGE, limit - count), cursor });
    count += page.items.length;
    items.push(page.items.map(write).join(format === 'csv' ? '' : ','));
    if (page.nextCursor === null) break;
    cut = count >= limit;
    if (cut) break;
    cursor = page.nextCursor;
  }
  const parts = (
    format === 'csv' ? [csvLine(headings(metrics)), ...items] : jsonParts(filter, items, count, cut)
  ).map((part) => Buffer.from(part, 'utf8'));
  const hash = createHash('sha256');
  for (const part of parts) hash.update(part);
  return { parts, headers: headersOf(filter, format, hash.digest(), cut), count, cut };
}

function headersOf(
  { dataset }: CorrectionFilter,
  format: ExportFormat,
  digest: Buffer,
  cut: boolean,
): Record<string, string> {
  const name = `corrections${dataset === undefined ? '' : `-${dataset.replace(/[^\w-]/g, '_')}`}`;
  return {
    'content-type': format === 'csv' ? 'text/csv; charset=utf-8' : 'application/json',
    'content-disposition': `attachment; filename="${name}.${format}"`,
    // what is compressed on its way has other bytes than the digest is over
    'cache-control': 'no-store, no-transform',
    'content-digest': `sha-256=:${digest.toString('base64')}:`,
    ...(cut ? { 'x-interlock-cut': 'true' } : {}),
  };
}

function jsonParts(
  filter: CorrectionFilter,
  pages: readonly string[],
  count: number,
  cut: boolean,
): string[] {
  const list = pages.flatMap((page, i) => (i === 0 ? [page] : [',', page]));
  const head = {
    exportedAt: new Date().toISOString(),
    filter,
    count,
    cut,
    digest: digestOfItems(list),
  };
  return [`${JSON.stringify(head).slice(0, -1)},"items":[`, ...list, ']}\n'];
}

/** `digestOf(EXPORT_TAG, items)`, of items that are canonical text already. */
function digestOfItems(list: readonly string[]): Digest {
  const hash = createHash('sha256').update(tagBytes(EXPORT_TAG)).update('[');
  for (const piece of list) hash.update(piece);
  return formatDigest(hash.update(']').digest());
}

/** For a door that answers with a body of its own. */
export function streamOf({ parts }: CorrectionExport): ReadableStream<Uint8Array> {
  let next = 0;
  return new ReadableStream({
    pull(controller) {
      const part = parts[next++];
      if (part === undefined) controller.close();
      else controller.enqueue(part);
    },
  });
}

type Metrics = Awaited<ReturnType<typeof correctionMetrics>>;

const SIDES = ['published', 'before', 'after', 'delta'] as const;

function headings({ sums, partials }: Metrics): string[] {
  return [
    ...['id', 'dataset', 'partition_start', 'partition_end', 'partition', 'kind'],
    ...['publication', 'published_at', 'sent_to', 'document'],
    ...SIDES.flatMap((side) => [
      `${side}.rows`,
      ...(side === 'delta' ? [] : [`${side}.root`]),
      ...sums.map((name) => `${side}.sums.${name}`),
      ...partials.map((name) => `${side}.partials.${name}`),
    ]),
    ...['reason', 'by', 'at', 'release', 'receipt', 'signatures', 'generation', 'transform'],
    'progress',
  ];
}

function csvRow({ sums, partials }: Metrics): (item: CorrectionItem) => string {
  const side = (
    figures: Partial<Pick<PartitionFigures, 'root'>> & Omit<PartitionFigures, 'root'>,
  ) => [
    figures.rows,
    ...(figures.root === undefined ? [] : [figures.root]),
    ...sums.map((name) => figures.sums[name]),
    ...partials.map((name) => figures.partials[name]),
  ];
  return (item) => {
    const { partition, published, release, receipt } = item;
    return csvLine([
      ...[item.id, item.dataset, partition.start, partition.end, partition.label, item.kind],
      ...[published.publication, published.at, published.sentTo, published.document],
      ...SIDES.flatMap((name) => side(item[name])),
      ...[item.reason, item.by, item.at, release],
      receipt && `${receipt.release} ${receipt.partition}`,
      item.signatures.length === 0 ? null : item.signatures.join(' '),
      ...[item.generation, item.transform],
      item.progress,
    ]);
  };
}
