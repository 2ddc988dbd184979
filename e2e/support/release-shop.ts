import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { sql } from 'drizzle-orm';
import { connect, type Database, rows } from '@/lib/db/client';
import type { ReleaseState } from '@/lib/domain/lifecycle';
import type { Role } from '@/lib/domain/permissions';
import type { Ctx } from '@/lib/services/context';
import { createToken } from '@/lib/services/people';
import { blockersOf, createRelease, findRelease, moves } from '@/lib/services/release';
import { appendEvents } from '@/lib/services/source';
import { event, vatFix } from '@/lib/testing/world';
import { draftShop } from './draft-shop';

const roles = {
  owner: 'owner',
  approver: 'approver',
  approver2: 'approver',
  oncall: 'oncall',
} as const satisfies Record<string, Role>;

type Persona = keyof typeof roles;

const DAYS = ['2011-01-03', '2011-01-04', '2011-01-05', '2011-01-06'];
const RANGE = { from: '2011-01-04T00:00:00Z', to: '2011-01-07T00:00:00Z' };

/**
 * A dataset of a journey's own with releases on it. What is no part of the journey is done here, by
 * the verbs that people use; the work is the job runner's.
 */
export class ReleaseShop {
  readonly #db: Database;
  readonly #name: string;

  private constructor(db: Database, name: string) {
    this.#db = db;
    this.#name = name;
  }

  /** Declares the dataset, by default of four days, and waits until its first generation serves. */
  static async open(url: string, name: string, days = DAYS): Promise<ReleaseShop> {
    const shop = await draftShop(url, name, days);
    await shop.close();
    return new ReleaseShop(connect(url, { role: 'tool' }), name);
  }

  get dataset(): string {
    return `${this.#name}_tax`;
  }

  as(person: Persona): Ctx {
    const actor = { person, roles: [roles[person]], via: 'api' as const, session: null };
    return { db: this.#db, actor, requestId: randomUUID() };
  }

  /** One more line in the shop. */
  async sell(line: string, at = '2011-01-05T10:00:00Z', price = '10.00'): Promise<void> {
    const actor = {
      person: 'till',
      roles: ['writer' as const],
      via: 'api' as const,
      session: null,
    };
    await appendEvents(
      { db: this.#db, actor, requestId: randomUUID() },
      { source: `${this.#name}_orders`, events: [event({ line, at, price })] },
    );
  }

  /** Drafts a release, by default of three days; answers `name@revision`. */
  async draft(range = RANGE, more: Record<string, unknown> = {}): Promise<string> {
    const spec = vatFix(range, {
      release: `${this.#name}-fix`,
      dataset: this.dataset,
      source: { name: `${this.#name}_orders` },
      targetGeneration: `${this.#name}-fix-${randomUUID().slice(0, 4)}`,
      ...more,
    });
    const { name, revision } = await createRelease(this.as('owner'), spec);
    return `${name}@${revision}`;
  }

  /** Pins a draft and starts its build. */
  async build(release: string): Promise<void> {
    await moves.pin(this.as('owner'), { release });
    await moves.build(this.as('owner'), { release });
  }

  /** A release, built and rehearsed; answers `name@revision`. */
  async rehearsed(more: Record<string, unknown> = {}): Promise<string> {
    const release = await this.draft(RANGE, more);
    await this.build(release);
    await this.until('every partition has its receipt', async () => {
      const found = await blockersOf(this.#db, await findRelease(this.#db, release));
      return found.rehearse?.length === 0;
    });
    await this.rehearse(release);
    return release;
  }

  /** Has a release that is built rehearsed, and waits until it passed. */
  async rehearse(release: string): Promise<void> {
    await moves.rehearse(this.as('owner'), { release });
    await this.until('the rehearsal is there', async () => {
      const found = await blockersOf(this.#db, await findRelease(this.#db, release));
      return found.seal?.length === 0;
    });
  }

  async seal(release: string): Promise<void> {
    await moves.seal(this.as('oncall'), { release });
  }

  /** Seals a rehearsed release and waits for its evidence at the barrier. */
  async reconciled(release: string): Promise<void> {
    await this.seal(release);
    await this.untilState(release, 'RECONCILED');
  }

  async sign(release: string, person: 'approver' | 'approver2'): Promise<void> {
    const evidence = await this.evidence(release);
    await moves.approve(this.as(person), { release, evidence });
  }

  async signRollback(release: string): Promise<void> {
    const evidence = await this.evidence(release);
    await moves['sign-rollback'](this.as('approver'), { release, evidence });
  }

  /** Cuts over a release that was signed. */
  async activate(release: string): Promise<void> {
    await moves.activate(this.as('oncall'), { release });
  }

  /**
   * Holds the generation that a release replaced, as a worker at a long batch does, so that nothing
   * is replayed into it until the function that it answers is called.
   */
  async keepBusy(release: string): Promise<() => Promise<void>> {
    const { oldGeneration } = await findRelease(this.#db, release);
    let letGo = () => {};
    const done = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    let holding: Promise<void> = Promise.resolve();
    await new Promise<void>((held, failed) => {
      holding = this.#db.transaction(async (tx) => {
        await tx.execute(
          sql`select 1 from control.generation_progress
            where generation = ${oldGeneration} for update`,
        );
        held();
        await done;
      });
      holding.catch(failed);
    });
    return () => {
      letGo();
      return holding;
    };
  }

  /** How each try of a verb on a release ended, oldest first. */
  async audited(release: string, verb: string): Promise<string[]> {
    const found = await rows<{ outcome: string }>(
      this.#db,
      sql`select outcome from control.audit_event
        where subject = ${release} and verb = ${verb} order by id`,
    );
    return found.map(({ outcome }) => outcome);
  }

  /** A token for the API, of somebody who reads everything. */
  async token(): Promise<string> {
    const admin = {
      person: 'admin',
      roles: ['admin' as const],
      via: 'api' as const,
      session: null,
    };
    const { token } = await createToken(
      { db: this.#db, actor: admin, requestId: randomUUID() },
      { person: 'auditor', roles: ['auditor'] },
    );
    return token;
  }

  /** Asks for the rollback of a release that is in use; the runner does it. */
  async rollBack(release: string, reason: string): Promise<void> {
    await moves.rollback(this.as('oncall'), { release, reason });
  }

  async evidence(release: string): Promise<string> {
    return (await findRelease(this.#db, release)).evidence ?? '';
  }

  async reopen(release: string, reason: string): Promise<void> {
    await moves.reopen(this.as('oncall'), { release, reason });
  }

  async hold(release: string, reason: string): Promise<void> {
    await moves.hold(this.as('owner'), { release, reason });
  }

  async unhold(release: string): Promise<void> {
    await moves.unhold(this.as('owner'), { release });
  }

  async untilState(release: string, state: ReleaseState): Promise<void> {
    await this.until(
      `${release} is ${state}`,
      async () => (await findRelease(this.#db, release)).state === state,
    );
  }

  async close(): Promise<void> {
    await this.#db.close();
  }

  private async until(what: string, there: () => Promise<boolean>): Promise<void> {
    for (const end = Date.now() + 90_000; Date.now() < end; await wait(200)) {
      if (await there()) return;
    }
    throw new Error(`waited in vain until ${what}`);
  }
}
