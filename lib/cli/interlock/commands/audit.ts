import type { Command } from 'commander';
import { formatCount } from '@/lib/domain/figures';
import { EXIT } from '@/lib/domain/refusal';
import type { AuditItem } from '@/lib/queries/audit-list';
import { oneOf, wholeNumber } from '../options';
import { table } from '../print';
import { type Session, withJson } from '../session';

interface Verdict {
  ok: boolean;
  head: string;
  length: number;
  firstBad?: { chain: string; seq: string; why: string };
}

export function addAuditCommands(program: Command, session: Session): void {
  const audit = program.command('audit').description('the record of every move');
  withJson(audit.command('verify'))
    .description('recompute every audit chain; exit 1 where a row is not what its chain says')
    .action(async () => {
      const answer = await session.api.get('/audit/verify');
      await session.show<Verdict>(answer, verdictText);
      if (!(answer.body as Verdict).ok) session.exitCode = EXIT.failure;
    });
  withJson(audit.command('list'))
    .description('rows of the audit chains, newest first')
    .option('--dataset <name>')
    .option('--chain <chain>', 'people, heads or dataset:<name>')
    .option('--actor <person>')
    .option('--verb <verb>')
    .option('--subject <subject>', 'name@n of a release, or whatever else it was done to')
    .option('--outcome <outcome>', 'done or refused', oneOf(['done', 'refused']))
    .option('--limit <n>', 'at most so many', wholeNumber(1, 1_000), 100)
    .option('--cursor <cursor>', 'the page after this one')
    .action(async (options: Record<string, string> & { limit: number }) => {
      const { dataset, chain, actor, verb, subject, outcome, cursor } = options;
      const query = { dataset, chain, actor, verb, subject, outcome, cursor };
      const answer = await session.api.get('/audit', { ...query, limit: String(options.limit) });
      await session.show<{ items: AuditItem[]; nextCursor: string | null }>(answer, listText);
    });
}

function verdictText({ ok, length, head, firstBad }: Verdict): string {
  if (ok) return `${formatCount(length)} rows, all as their chains say; head ${head}\n`;
  return firstBad
    ? `broken: row ${firstBad.seq} of ${firstBad.chain}: ${firstBad.why}\n`
    : 'broken\n';
}

function listText({
  items,
  nextCursor,
}: {
  items: AuditItem[];
  nextCursor: string | null;
}): string {
  const text = table(
    ['AT', 'ACTOR', 'VERB', 'SUBJECT', 'OUTCOME', 'REASON'],
    items.map(({ at, actor, verb, subject, outcome, reason }) => [
      at,
      actor,
      verb,
      subject,
      outcome,
      (reason ?? '').replace(/\s+/g, ' '),
    ]),
  );
  return nextCursor === null ? text : `${text}more: --cursor ${nextCursor}\n`;
}
