import type { Database } from '@/lib/db/client';
import {
  type ClaimedDelivery,
  claimDelivery,
  failHopeless,
  recordDelivered,
  recordFailed,
} from '@/lib/db/statements/notice';
import { type Letter, type Outcome, post, TIMEOUT_MS } from './post';

/** Tries at a time; each waits for somebody else's server, so it costs a connection now and then. */
const LANES = 4;

/** What a try takes at most, and as long again for its two statements. */
const leaseSeconds = (2 * TIMEOUT_MS) / 1_000;

export interface Delivering {
  /** True once the process was asked to stop: begin nothing new. */
  stopping?: () => boolean;
  post?: (letter: Letter) => Promise<Outcome>;
  lanes?: number;
}

/**
 * Tells subscribers what is due, until nothing is. Each try is claimed in a statement of its own,
 * made outside of any transaction, and recorded in another one. A process that dies in between has
 * perhaps told somebody: it is told again, with the same id.
 *
 * @returns how many tries were made
 */
export async function deliverDue(
  db: Database,
  { stopping = () => false, post: tell = post, lanes = LANES }: Delivering = {},
): Promise<number> {
  await failHopeless(db);
  let tries = 0;
  const lane = async () => {
    while (!stopping()) {
      const claimed = await claimDelivery(db, leaseSeconds);
      if (claimed === null) return;
      tries += 1;
      const outcome = await tell(letterOf(claimed));
      if (outcome.delivered) await recordDelivered(db, claimed, outcome.status);
      else await recordFailed(db, claimed, outcome);
    }
  };
  // none is left running behind one that failed
  const ended = await Promise.allSettled(Array.from({ length: lanes }, lane));
  const failed = ended.find((each) => each.status === 'rejected');
  if (failed) throw failed.reason;
  return tries;
}

const letterOf = ({ url, secret, uuid, ...notice }: ClaimedDelivery): Letter => {
  const { kind, dataset, subject, at, body } = notice;
  return {
    url,
    secret,
    id: uuid,
    body: JSON.stringify({ id: uuid, kind, dataset, subject, at, body }),
  };
};
