import * as z from 'zod';
import { addLink } from '@/lib/db/statements/contamination';
import { linkBlockers } from '@/lib/domain/contamination';
import { parseInput } from '@/lib/domain/zod-issues';
import { writeAudit } from '@/lib/services/audit/write';
import { refuseIf } from '@/lib/services/release/move';
import { verb } from '@/lib/services/verb';
import { chainOfMark, isLifted, lockedMark } from './of-mark';
import { newestRevision, repairingSchema } from './repairing';

const schema = z.strictObject({ id: z.string(), release: repairingSchema });

export interface LinkInput {
  /** The mark's. */
  id: string;
  /** The release's name: its next revisions repair it as well. */
  release: string;
}

/**
 * Says which release repairs a mark; the newest link counts. Its cutover lifts the mark.
 *
 * @throws Refused where the mark was lifted, or the release is of another dataset, was cut over, or
 *   does not rebuild the whole interval
 */
export const linkContamination = verb<LinkInput, void>(
  {
    name: 'dataset.link-contamination',
    subject: ({ id }) => `contamination ${id}`,
    chain: chainOfMark,
  },
  async (ctx, input) => {
    const { id, release: named } = parseInput(schema, input);
    await lockedMark(ctx.db, id, async (tx, mark) => {
      if (!mark.standing) {
        throw isLifted('The mark was lifted; there is nothing to repair any more.');
      }
      const release = await newestRevision(tx, named);
      refuseIf(linkBlockers(mark, release, '/release'));
      await addLink(tx, { mark: id, release: named.name, by: ctx.actor.person });
      await writeAudit(tx, ctx, {
        chain: `dataset:${mark.dataset}`,
        verb: 'dataset.link-contamination',
        subject: `contamination ${id}`,
        before: { repairedBy: mark.repairedBy },
        after: { contamination: id, repairedBy: named.name },
      });
    });
  },
);
