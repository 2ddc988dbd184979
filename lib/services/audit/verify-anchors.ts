import { sql } from 'drizzle-orm';
import { array, rows, type Tx } from '@/lib/db/client';
import { isObject } from '@/lib/domain/json';
import { begunAnew } from './anchor';
import type { AuditHead } from './write';

/**
 * The first row, in order of chain and sequence, that is not what its chain says; where rows are
 * missing, the one that follows them, or the last one that is there.
 */
export interface BadAuditRow {
  chain: string;
  seq: string;
  why: string;
}

interface AnchorRow {
  seq: string;
  after: unknown;
  reason: string | null;
}

const batch = 2_000;

/**
 * Compares every head that the chain over the heads ever named with the row that it names: a chain
 * that was cut short, written anew from somewhere on, or taken away whole is not what it was then,
 * however well it fits itself. What came after the newest anchor is only held by its own head.
 *
 * @param last the newest sequence number that each chain has now
 * @returns faults, at most one for each batch of anchors and chain
 */
export async function verifyAnchors(
  tx: Tx,
  last: ReadonlyMap<string, string>,
): Promise<BadAuditRow[]> {
  const others = [...last.keys()].filter((chain) => chain !== 'heads');
  if (others.length > 0 && !last.has('heads')) {
    return [{ chain: 'heads', seq: '1', why: 'the whole chain is missing' }];
  }
  const faults: BadAuditRow[] = [];
  const named = new Map<string, string>();
  for (let seq = '0'; ; ) {
    const page = await rows<AnchorRow>(
      tx,
      sql`select seq, after, reason from control.audit_event
        where chain = 'heads' and seq > ${seq} order by seq limit ${batch}`,
    );
    if (seq === '0' && page[0]?.reason === begunAnew) {
      faults.push({ chain: 'heads', seq: '1', why: 'the chain before it is missing' });
    }
    faults.push(...(await compare(tx, newIn(page, named), last)));
    seq = page.at(-1)?.seq ?? seq;
    if (page.length < batch) return faults;
  }
}

/** Heads that are named for the first time: most chains stand still from one anchor to the next. */
function newIn(page: readonly AnchorRow[], named: Map<string, string>): AuditHead[] {
  return page
    .flatMap(({ after }) => (Array.isArray(after) ? after.filter(isHead) : []))
    .filter(({ chain, seq, hash }) => {
      const text = `${seq} ${hash}`;
      if (named.get(chain) === text) return false;
      named.set(chain, text);
      return true;
    });
}

function isHead(value: unknown): value is AuditHead {
  return (
    isObject(value) &&
    typeof value.chain === 'string' &&
    typeof value.seq === 'string' &&
    /^\d{1,18}$/.test(value.seq) &&
    typeof value.hash === 'string'
  );
}

async function compare(
  tx: Tx,
  heads: readonly AuditHead[],
  last: ReadonlyMap<string, string>,
): Promise<BadAuditRow[]> {
  const wrong = await rows<{ chain: string; seq: string; there: boolean }>(
    tx,
    sql`select distinct on (a.chain) a.chain, a.seq, e.seq is not null as there
      from unnest(${column(heads, 'chain')}, ${array(
        heads.map(({ seq }) => seq),
        'bigint',
      )}, ${column(heads, 'hash')}) as a (chain, seq, hash)
      left join control.audit_event e on e.chain = a.chain and e.seq = a.seq
      where a.seq > 0 and e.hash is distinct from a.hash
      order by a.chain, a.seq`,
  );
  const faults = wrong.map(({ chain, seq, there }): BadAuditRow => {
    if (there) return { chain, seq, why: 'it is not the row that the chain over the heads names' };
    const end = last.get(chain);
    const why = `the chain over the heads names row ${seq}, which is missing`;
    return { chain, seq: end ?? '1', why: end === undefined ? gone : why };
  });
  for (const { chain } of heads) {
    if (!last.has(chain) && !faults.some((fault) => fault.chain === chain)) {
      faults.push({ chain, seq: '1', why: gone });
    }
  }
  return faults;
}

const gone = 'the whole chain is missing';

function column(heads: readonly AuditHead[], name: 'chain' | 'hash') {
  return array(
    heads.map((head) => head[name]),
    'text',
  );
}
