import type { Command } from 'commander';
import { EXIT } from '@/lib/domain/refusal';
import type { ClaimAnswer, ClaimsView } from '@/lib/services/claims';
import { pathOf } from '../api-client';
import { instant } from '../options';
import { count, table } from '../print';
import { type Session, withJson } from '../session';

interface RangeOptions {
  from?: string;
  to?: string;
  owner?: string;
}

const claimsOf = (dataset: string) => `${pathOf('datasets', dataset)}/claims`;

export function addClaimCommands(program: Command, session: Session): void {
  const claim = program.command('claim').description('who has reserved which partitions');
  const ranged = (name: string, says: string) =>
    withJson(claim.command(name))
      .description(says)
      .argument('<dataset>')
      .argument('<from>', 'start of the first partition', instant)
      .argument('<to>', 'end of the last partition, not included', instant)
      .option('--owner <name>', 'under which name; yours unless given');

  ranged('add', 'claim the partitions of a range; exit code 3 if others hold any').action(
    async (dataset: string, from: string, to: string, { owner }: RangeOptions) => {
      const answer = await session.api.post(claimsOf(dataset), { from, to, owner });
      const { denied } = answer.body as ClaimAnswer;
      if (denied.length > 0) session.exitCode = EXIT.refused;
      await session.show<ClaimAnswer>(answer, claimText);
    },
  );
  ranged('release', 'let go of the claims of one owner in a range').action(
    async (dataset: string, from: string, to: string, { owner }: RangeOptions) => {
      const answer = await session.api.persist({
        method: 'DELETE',
        path: claimsOf(dataset),
        query: { from, to, owner },
      });
      await session.show<ClaimAnswer & { released: string[] }>(answer, releasedText);
    },
  );
  withJson(claim.command('list'))
    .description('all claims, consecutive partitions of one owner as one range')
    .argument('<dataset>')
    .option('--from <instant>', 'partitions that begin from here on', instant)
    .option('--to <instant>', 'and before this', instant)
    .option('--owner <name>', 'with --json: how they stand for this owner')
    .action(async (dataset: string, { from, to, owner }: RangeOptions) => {
      const answer = await session.api.get(claimsOf(dataset), { from, to, owner });
      await session.show<ClaimsView>(answer, listText);
    });
}

const rangeText = ({ range }: ClaimAnswer) => `[${range.from}, ${range.to})`;
const partitions = (n: number) => `${count(n)} ${n === 1 ? 'partition' : 'partitions'}`;

function claimText(answer: ClaimAnswer): string {
  const { owner, claimed } = answer;
  return `${owner} holds ${partitions(claimed.length)} in ${rangeText(answer)}\n${deniedText(answer)}`;
}

function releasedText(answer: ClaimAnswer & { released: string[] }): string {
  const { owner, released } = answer;
  return `${owner} let go of ${partitions(released.length)} in ${rangeText(answer)}\n${deniedText(answer)}`;
}

function deniedText({ denied }: ClaimAnswer): string {
  return denied.map(([start, owner]) => `${start} is claimed by ${owner}\n`).join('');
}

function listText({ dataset, claims }: ClaimsView): string {
  if (claims.length === 0) return `no partition of ${dataset} is claimed\n`;
  return table(
    ['FROM', 'TO', 'PARTITIONS', 'OWNER', 'BY', 'SINCE'],
    claims.map((each) => [
      each.from,
      each.to,
      count(each.partitions),
      each.owner,
      each.by,
      each.since,
    ]),
  );
}
