import type { Command } from 'commander';
import { plural } from '@/lib/domain/figures';
import { EXIT } from '@/lib/domain/refusal';
import { ApiError, CliError } from '../api-client';
import { releaseRef } from '../options';
import { count, fields, lines } from '../print';
import { startProgress } from '../progress';
import { type Session, withJson } from '../session';
import { type Verification, verifyRelease } from '../verify/verify-release';

export function addVerifyCommand(release: Command, session: Session): void {
  withJson(release.command('verify'))
    .description(
      'recompute every root outside the database, from exported rows; exit 1 where one differs',
    )
    .argument('<name@n>', 'one revision', releaseRef)
    .option('--all', "the whole generation, not only the release's range")
    .action(async (reference: string, { all }: { all?: true }) => {
      const verification = await verify(session, reference, all === true);
      await session.showOwn(verification, verificationText);
      if (!verification.ok) session.exitCode = EXIT.failure;
    });
}

async function verify(session: Session, reference: string, all: boolean): Promise<Verification> {
  let bar = startProgress(session.io, 1);
  let done = 0;
  try {
    return await verifyRelease(session.api, reference, all, {
      total: (rows) => {
        bar.end();
        bar = startProgress(session.io, rows);
      },
      rows: (rows) => {
        done += rows;
        bar.at(done, plural(done, 'row'));
      },
    });
  } catch (error) {
    if (error instanceof ApiError && error.problem.code === 'GENERATION_GONE') {
      throw new CliError(
        `GENERATION_GONE: the rows of ${reference} cannot be read: its generation never served, or was dropped. Verify it between its cutover and its retirement.`,
        error.exitCode,
      );
    }
    throw error;
  } finally {
    bar.end();
  }
}

const MOST_SHOWN = 20;

function verificationText(verification: Verification): string {
  const { receipts, manifest, different, ok } = verification;
  const moved = receipts.moved === 0 ? '' : `, ${count(receipts.moved)} moved by events since`;
  const wrong =
    receipts.different.length === 0 ? '' : `, ${count(receipts.different.length)} DIFFERENT`;
  const says = {
    equal: `${manifest.found}, as signed`,
    moved: `${manifest.found}; events since the barrier moved it from ${manifest.said}`,
    different: `${manifest.found} DIFFERS from ${manifest.said}`,
    none: `${manifest.found}; none is fixed to compare with`,
  };
  const head = fields([
    ['release', `${verification.release}, generation ${verification.generation}`],
    ['partitions', `${count(verification.partitions)} with ${plural(verification.rows, 'row')}`],
    [
      'roots',
      `${count(verification.partitions - different.length)} equal, ${count(different.length)} different`,
    ],
    ['receipts', `${count(receipts.equal)} equal${moved}${wrong}`],
    ['manifest', says[manifest.verdict]],
    ['verdict', ok ? 'everything agrees' : 'NOT EVERYTHING AGREES'],
  ]);
  const list = different
    .slice(0, MOST_SHOWN)
    .map(
      ({ start, said, found, rowsSaid, rowsFound }) =>
        `${start}: ${count(rowsSaid)} rows ${said ?? '–'}, recomputed ${count(rowsFound)} rows ${found}`,
    );
  return list.length === 0 ? head : `${head}\n${lines(list)}`;
}
