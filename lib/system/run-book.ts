import { sql } from 'drizzle-orm';
import { rows, type Tx } from '@/lib/db/client';
import { type Look, label, standing } from './facts';

interface RunRow {
  id: string;
  state: string;
  owner: string;
  decided: boolean;
  parts: { day: string; state: string; reason: string | null }[];
}

interface Round {
  sealed: ReadonlySet<string>;
  /** Owner by day. */
  claims: ReadonlyMap<string, string>;
  progress: readonly string[];
}

/**
 * What the ledger holds runs to: each reports every partition that it was asked for, and no reason
 * that was not so at any time of the round in which it was told. Of what went on within a round the
 * book knows nothing, so it finds fault only with what cannot have been so at any moment of it.
 */
export class RunBook {
  /** What was asked: days by run. */
  readonly #asked = new Map<string, readonly number[]>();
  /** Claims that somebody tried to take in this round, as `day owner`. */
  readonly #tried = new Set<string>();
  #released = false;
  #last: Round | null = null;
  readonly #parts = new Map<string, string>();
  readonly #decided = new Set<string>();
  readonly #over = new Set<string>();
  /** How often partitions became what. */
  readonly became = new Map<string, number>();

  asked(run: string, days: readonly number[]): void {
    this.#asked.set(run, days);
  }

  claiming(days: readonly number[], owner: string): void {
    for (const day of days) this.#tried.add(`${label(day)} ${owner}`);
  }

  releasing(): void {
    this.#released = true;
  }

  async balance(tx: Tx, look: Look, sealed: ReadonlySet<string>): Promise<string[]> {
    const claims = new Map(
      (
        await rows<{ day: string; owner: string }>(
          tx,
          sql`select to_char(start_at, 'MM-DD') as day, owner from control.claim
            where dataset = 'prices'`,
        )
      ).map(({ day, owner }) => [day, owner]),
    );
    const now: Round = { sealed: new Set(sealed), claims, progress: look.progress };
    const before = this.#last ?? now;
    const faults: string[] = [];
    for (const run of await this.#moved(tx)) {
      faults.push(...this.#complete(run), ...this.#told(run, look, before, now));
      if (run.decided) this.#decided.add(run.id);
      if (['done', 'failed', 'cancelled'].includes(run.state)) this.#over.add(run.id);
    }
    this.#last = now;
    this.#tried.clear();
    this.#released = false;
    return faults;
  }

  async #moved(tx: Tx): Promise<RunRow[]> {
    const found = await rows<RunRow>(
      tx,
      sql`select r.id, r.state, r.owner, r.generation is not null as decided,
          (select json_agg(json_build_object('day', to_char(p.start_at, 'MM-DD'),
            'state', p.state, 'reason', p.reason) order by p.start_at)
            from control.run_partition p where p.run = r.id) as parts
        from control.run r where r.dataset = 'prices'
          and (r.ended_at is null or r.ended_at > clock_timestamp() - interval '1 minute')
        order by r.id`,
    );
    return found.filter(({ id }) => !this.#over.has(id));
  }

  /** Done, skipped and failed are together what was asked. */
  #complete({ id, state, parts }: RunRow): string[] {
    const asked = (this.#asked.get(id) ?? []).map(label);
    const listed = parts.map((part) => part.day);
    const faults =
      asked.join() === listed.join() ? [] : [`run ${id} lists ${listed}, asked were ${asked}`];
    const left = parts.filter((part) => part.state === 'planned');
    if ((state === 'done' || state === 'failed') && left.length > 0) {
      faults.push(`run ${id} ended with ${left.length} partitions left`);
    }
    for (const { day, state: of, reason } of parts) {
      if (of === 'failed') faults.push(`run ${id} failed on ${day}: ${reason}`);
    }
    return faults;
  }

  /** What was settled in this round is so by what was the case in it. */
  #told(run: RunRow, look: Look, before: Round, now: Round): string[] {
    const faults: string[] = [];
    for (const { day, state, reason } of run.parts) {
      const known = this.#parts.get(`${run.id} ${day}`) ?? 'planned';
      this.#parts.set(`${run.id} ${day}`, state);
      const fresh = known !== state;
      if (fresh && state === 'skipped') {
        const kind = (reason ?? '').replace(/:.*/, '');
        this.became.set(kind, (this.became.get(kind) ?? 0) + 1);
        if (!this.#mayBe(day, reason ?? '', look, before, now)) {
          faults.push(`run ${run.id} skipped ${day}: ${reason}, which it was at no time`);
        }
      }
      if (fresh && state === 'done') this.became.set('done', (this.became.get('done') ?? 0) + 1);
      if (fresh && state === 'done' && before.sealed.has(day)) {
        faults.push(`run ${run.id} replaced ${day}, which was published`);
      }
      const decidedNow = run.decided && !this.#decided.has(run.id);
      if (!decidedNow || state === 'skipped') continue;
      const why = this.#mustBe(day, run.owner, look, before, now);
      if (why !== null) faults.push(`run ${run.id} did not skip ${day}, which was ${why}`);
    }
    return faults;
  }

  #mayBe(day: string, reason: string, look: Look, before: Round, now: Round): boolean {
    if (reason === 'sealed') return now.sealed.has(day);
    if (reason === 'no_data') return !hadData(day, look, before);
    const owner = reason.replace('claimed_by:', '');
    return (
      // a release's claims come and go with its moves
      /@\d+$/.test(owner) ||
      before.claims.get(day) === owner ||
      now.claims.get(day) === owner ||
      this.#tried.has(`${day} ${owner}`)
    );
  }

  #mustBe(day: string, owner: string, look: Look, before: Round, now: Round): string | null {
    const holder = before.claims.get(day);
    if (holder !== undefined && holder !== owner && holder === now.claims.get(day)) {
      if (!this.#released) return `claimed by ${holder}`;
    }
    if (before.sealed.has(day)) return 'published';
    return hadNoData(day, look, before) ? 'empty' : null;
  }
}

/** An item belonged to the day all the time. */
function hadData(day: string, { log }: Look, { progress }: Round): boolean {
  const moved = new Set(log.flatMap((event) => (isAfter(event, progress) ? [event.id] : [])));
  return [...standing(log, progress)].some(
    ([id, { at }]) => at.slice(5, 10) === day && !moved.has(id),
  );
}

/** No item belonged to the day at any time. */
function hadNoData(day: string, { log }: Look, { progress }: Round): boolean {
  return (
    ![...standing(log, progress).values()].some(({ at }) => at.slice(5, 10) === day) &&
    !log.some((event) => isAfter(event, progress) && event.at?.slice(5, 10) === day)
  );
}

const isAfter = (event: { shard: number; offset: string }, progress: readonly string[]) =>
  BigInt(event.offset) > BigInt(progress[event.shard] ?? '0');
