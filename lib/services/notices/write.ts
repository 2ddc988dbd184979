import type { Tx } from '@/lib/db/client';
import { askedFor, insertNotice, type NewNotice } from '@/lib/db/statements/notice';
import { isFork } from '@/lib/domain/names';
import type { AskedKind } from '@/lib/domain/notices';
import { enqueueTell } from './queue';

export interface NoticeToWrite {
  dataset: string;
  kind: AskedKind;
  /** A release, `name@revision`, or an interval as `intervalSubject` writes it. */
  subject: string;
  /** What there is to say, as JSON: names, intervals with both ends in UTC, exact numbers as text. */
  body: NewNotice['body'];
}

/**
 * Writes that subscribers are to be told, in the transaction of what it tells of: a move that fails
 * tells nobody, and one that is done cannot forget. It is called before the audit row, whose head is
 * every transaction's last lock. A drill's fork tells nobody.
 *
 * @returns how many subscribers asked for it
 */
export async function writeNotice(tx: Tx, notice: NoticeToWrite): Promise<number> {
  if (isFork(notice.dataset)) return 0;
  const written = await insertNotice(tx, notice, askedFor(notice.dataset, notice.kind));
  if (written.told > 0) await enqueueTell(tx, written.id);
  return written.told;
}
