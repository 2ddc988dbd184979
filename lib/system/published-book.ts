import { sql } from 'drizzle-orm';
import { rows, type Tx } from '@/lib/db/client';
import { type Look, made, standing } from './facts';

interface Figures {
  rows: string;
  total: string | null;
  root: string;
}

/** What the newest correction of a day says, or its publication. */
interface Said extends Figures {
  progress: readonly string[];
  /** The rows behind the figures, from the facts alone. */
  content: string[];
}

/**
 * What the ledger holds published partitions to: figures are those of the facts at the progress that
 * each record names, under the factors of the generation that it names; corrections chain; and
 * where a partition would be another one now, something of it is pending.
 */
export class PublishedBook {
  /** Rows of each sealed day as they are to be served for ever, by `MM-DD`. */
  readonly rows = new Map<string, string[]>();
  readonly #said = new Map<string, Said>();
  readonly #rootOf = new Map<string, string>();
  readonly #contentOf = new Map<string, string>();
  #lastCorrection = '0';
  corrections = 0;

  async balance(tx: Tx, look: Look): Promise<string[]> {
    return [
      ...(await this.#publications(tx, look)),
      ...(await this.#corrections(tx, look)),
      ...(await this.#pending(tx, look)),
    ];
  }

  /** After everything was amended: the last correction of every day is what the facts yield. */
  unsettled({ log, active, progress, factorsOf }: Look): string[] {
    const now = made(standing(log, progress), factorsOf(active) ?? new Map());
    return [...this.#said].flatMap(([day, { content }]) =>
      same(content, now.get(day) ?? []) ? [] : [`the last correction of ${day} is not the facts`],
    );
  }

  async #publications(tx: Tx, look: Look): Promise<string[]> {
    const found = await rows<Figures & { day: string; generation: string; progress: string[] }>(
      tx,
      sql`select to_char(start_at, 'MM-DD') as day, generation, progress, rows,
          partials ->> 'total' as total, encode(root, 'hex') as root
        from control.published_partition where dataset = 'prices'`,
    );
    const faults: string[] = [];
    for (const each of found) {
      if (this.rows.has(each.day)) continue;
      const content = contentOf(look, each);
      this.rows.set(each.day, content);
      this.#said.set(each.day, { ...each, content });
      faults.push(...this.#figures(`publication of ${each.day}`, each.day, content, each));
    }
    return faults;
  }

  async #corrections(tx: Tx, look: Look): Promise<string[]> {
    const found = await rows<{
      id: string;
      day: string;
      kind: string;
      generation: string;
      progress: string[];
      before: Figures;
      after: Figures;
    }>(
      tx,
      sql`select id, to_char(start_at, 'MM-DD') as day, kind, generation, progress,
          json_build_object('rows', rows_before::text, 'total', partials_before ->> 'total',
            'root', encode(root_before, 'hex')) as before,
          json_build_object('rows', rows_after::text, 'total', partials_after ->> 'total',
            'root', encode(root_after, 'hex')) as after
        from control.correction where dataset = 'prices' and id > ${this.#lastCorrection}
        order by id`,
    );
    const faults: string[] = [];
    for (const { id, day, kind, generation, progress, before, after } of found) {
      this.#lastCorrection = id;
      this.corrections += 1;
      const name = `correction ${id} (${kind}) of ${day}`;
      const last = this.#said.get(day);
      if (!last) {
        faults.push(`${name} is of no published day`);
        continue;
      }
      for (const figure of ['rows', 'total', 'root'] as const) {
        if (before[figure] !== last[figure]) {
          faults.push(`${name} begins at ${figure} ${before[figure]}, not at ${last[figure]}`);
        }
      }
      if (last.progress.some((offset, shard) => BigInt(offset) > BigInt(progress[shard] ?? '0'))) {
        faults.push(`${name} contains less of the log than the one before it`);
      }
      const content = contentOf(look, { day, generation, progress });
      faults.push(...this.#figures(name, day, content, after));
      this.#said.set(day, { ...after, progress, content });
    }
    return faults;
  }

  /** Where a day would be another one than was last said, somebody can see that it would. */
  async #pending(tx: Tx, { log, active, progress, factorsOf }: Look): Promise<string[]> {
    const notes = await rows<{ day: string; shard: number; offset: string }>(
      tx,
      sql`select to_char(start_at, 'MM-DD') as day, shard, max("offset") as "offset"
        from control.pending_correction where dataset = 'prices' group by 1, 2`,
    );
    const now = made(standing(log, progress), factorsOf(active) ?? new Map());
    return [...this.#said].flatMap(([day, said]) => {
      if (same(said.content, now.get(day) ?? [])) return [];
      const noted = notes.some(
        (note) =>
          note.day === day && BigInt(note.offset) > BigInt(said.progress[note.shard] ?? '0'),
      );
      const was = said.content.join(', ');
      const is = (now.get(day) ?? []).join(', ');
      return noted ? [] : [`${day} would be [${is}] and not [${was}], and nothing is pending`];
    });
  }

  /** Rows and total as the facts have them; equal roots for equal rows, others for others. */
  #figures(name: string, day: string, content: readonly string[], is: Figures): string[] {
    const faults: string[] = [];
    if (is.rows !== String(content.length)) {
      faults.push(`${name} says ${is.rows} rows, not ${content.length}`);
    }
    const total = content.reduce((sum, row) => sum + Number(row.split(' ')[2]), 0);
    if (Number(is.total ?? 0) !== total) faults.push(`${name} says ${is.total}, not ${total}`);
    const text = content.length === 0 ? 'nothing' : `${day} ${[...content].sort().join(', ')}`;
    if ((this.#rootOf.get(text) ?? is.root) !== is.root) {
      faults.push(`${name} has another root than the same rows had before`);
    }
    if ((this.#contentOf.get(is.root) ?? text) !== text) {
      faults.push(`${name} has the root that other rows had before`);
    }
    this.#rootOf.set(text, is.root);
    this.#contentOf.set(is.root, text);
    return faults;
  }
}

interface Record {
  day: string;
  generation: string;
  progress: readonly string[];
}

function contentOf(look: Look, { day, generation, progress }: Record): string[] {
  const factors = look.factorsOf(generation);
  if (!factors) throw new Error(`generation ${generation} is none that the ledger knows`);
  return made(standing(look.log, progress), factors).get(day) ?? [];
}

const same = (a: readonly string[], b: readonly string[]) =>
  [...a].sort().join('\n') === [...b].sort().join('\n');
