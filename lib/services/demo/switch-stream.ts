import { sql } from 'drizzle-orm';
import * as z from 'zod';
import { affected, json, maybeOne } from '@/lib/db/client';
import { transaction } from '@/lib/db/transaction';
import { NotFound } from '@/lib/domain/refusal';
import { parseInput } from '@/lib/domain/zod-issues';
import { writeAudit } from '@/lib/services/audit/write';
import { verb } from '@/lib/services/verb';
import { demoSettings, turnsOfOneSwitch } from './setting';

const inputSchema = z.strictObject({ on: z.boolean() });

/**
 * Switches the demo's live events on or off; they stop by themselves after nearly a day. Switching
 * to what it is already changes nothing.
 *
 * @throws NotFound where the installation has no demo
 */
export const switchStream = verb<{ on: boolean }, { on: boolean }>(
  { name: 'demo.stream', subject: () => 'orders', chain: async () => 'people' },
  async (ctx, input) => {
    const { on } = parseInput(inputSchema, input);
    await transaction(ctx.db, async (tx) => {
      const known = await maybeOne<{ on: boolean }>(
        tx,
        sql`select (value ->> 'on')::boolean as on from control.setting
          where name = ${demoSettings.stream}
            and exists (select from control.setting where name = ${demoSettings.seeded})
          for update`,
      );
      if (!known) throw new NotFound('switch', demoSettings.stream);
      if (known.on === on) return;
      await affected(
        tx,
        sql`update control.setting
          set value = ${json({ on })}, changed_at = clock_timestamp(), changed_by = ${ctx.actor.person}
          where name = ${demoSettings.stream}`,
      );
      if (on) {
        await affected(
          tx,
          sql`update control.setting set value = value || ${json({ left: turnsOfOneSwitch })}
            where name = ${demoSettings.turn}`,
        );
      }
      await writeAudit(tx, ctx, {
        chain: 'people',
        verb: 'demo.stream',
        subject: 'orders',
        before: { on: !on },
        after: { on },
      });
    });
    return { on };
  },
);
