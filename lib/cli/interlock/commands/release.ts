import type { Command } from 'commander';
import { nOfM } from '@/lib/domain/figures';
import { RELEASE_SCHEMA } from '@/lib/domain/release';
import type { ReleaseItem } from '@/lib/queries/release-list';
import { CliError, pathOf } from '../api-client';
import { releaseRef, wholeNumber } from '../options';
import { table } from '../print';
import { type Release, releaseText } from '../release-text';
import { type Session, withJson } from '../session';
import { watchRelease } from '../watch';
import { readYamlFile, usage } from '../yaml-file';

export function addReleaseCommands(release: Command, session: Session): void {
  withJson(release.command('create'))
    .description('draft a release')
    .requiredOption('-f, --file <file>', `YAML or JSON, ${RELEASE_SCHEMA}`)
    .action(async ({ file }: { file: string }) => {
      await draft(session, await readYamlFile(file));
    });
  withJson(release.command('revise'))
    .description('draft the next revision of a release, from a file or from the newest revision')
    .argument('<name>', 'its name; a revision after @ is the one to carry over')
    .option('-f, --file <file>', 'YAML or JSON; what the newest revision says otherwise')
    .option('--target <generation>', 'name of the generation to make')
    .action(async (name: string, options: { file?: string; target?: string }) => {
      await revise(session, name, options);
    });
  withJson(release.command('show'))
    .description('state, evidence, signatures, and what blocks each move')
    .argument('<name@n>', 'one revision', releaseRef)
    .option('--watch', 'follow it until the runner has nothing left to do for it')
    .action(async (reference: string, { watch }: { watch?: true }) => {
      if (watch) await watchRelease(session, reference);
      const answer = await session.api.get(pathOf('releases', reference));
      await session.show<Release>(answer, releaseText);
    });
  withJson(release.command('list'))
    .description('releases, newest first')
    .option('--dataset <name>')
    .option('--state <state>')
    .option('--name <name>', 'all revisions of one release')
    .option('--limit <n>', 'at most so many', wholeNumber(1, 1_000), 50)
    .option('--cursor <cursor>', 'the page after this one')
    .action(async (options: ListOptions) => {
      const { limit, ...query } = options;
      const { json: _, ...rest } = query as ListOptions & { json?: true };
      const answer = await session.api.get('/releases', { ...rest, limit: String(limit) });
      await session.show<{ items: ReleaseItem[]; nextCursor: string | null }>(answer, listText);
    });
}

interface ListOptions {
  dataset?: string;
  state?: string;
  name?: string;
  limit: number;
  cursor?: string;
}

async function draft(session: Session, spec: object): Promise<void> {
  const answer = await session.api.post('/releases', spec);
  await session.show<Release>(
    answer,
    ({ name, revision, state }) => `${name}@${revision} ${state}\n`,
  );
}

async function revise(
  session: Session,
  given: string,
  { file, target }: { file?: string; target?: string },
): Promise<void> {
  const [name = ''] = given.split('@');
  if (name === '') throw usage('the release must be named');
  const spec = file === undefined ? await carried(session, given, name) : await readYamlFile(file);
  const generation = target === undefined ? {} : { targetGeneration: target };
  await draft(session, { ...spec, release: name, ...generation });
}

/** What a revision says, without what pinning froze into it: that is frozen anew. */
async function carried(session: Session, given: string, name: string): Promise<object> {
  const reference = given.includes('@') ? given : await newestOf(session, name);
  const { body } = await session.api.get(pathOf('releases', reference));
  const { spec } = body as { spec?: Record<string, unknown> };
  if (spec === undefined)
    throw new CliError('the server answers with a release in an unknown form');
  const { policy: _, timezone: _z, partition: _p, columns: _c, source, transform, ...rest } = spec;
  const { snapshot: _s, ...from } = source as Record<string, unknown>;
  const { old: _o, ...to } = transform as Record<string, unknown>;
  const next = Number((body as { revision?: number }).revision ?? 0) + 1;
  return withoutNulls({
    ...rest,
    source: from,
    transform: to,
    // A generation is made once; the revision's number keeps the names apart.
    targetGeneration: `${name}-r${next}`,
  });
}

function withoutNulls<T>(value: T): T {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(withoutNulls) as T;
  const kept = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(kept.map(([key, inner]) => [key, withoutNulls(inner)])) as T;
}

async function newestOf(session: Session, name: string): Promise<string> {
  const { body } = await session.api.get('/releases', { name, limit: '1' });
  const [newest] = (body as { items?: ReleaseItem[] }).items ?? [];
  if (newest === undefined) throw usage(`there is no release ${JSON.stringify(name)}`);
  return newest.release;
}

function listText({
  items,
  nextCursor,
}: {
  items: ReleaseItem[];
  nextCursor: string | null;
}): string {
  const text = table(
    ['RELEASE', 'STATE', 'DATASET', 'FROM', 'TO', 'BUILT', 'OWNER'],
    items.map((item) => [
      item.release,
      `${item.state}${item.serving ? ' (serving)' : ''}`,
      item.dataset,
      item.from ?? '–',
      item.to ?? 'open',
      nOfM(item.progress.receipts, item.progress.planned),
      item.owner ?? '–',
    ]),
  );
  return nextCursor === null ? text : `${text}more: --cursor ${nextCursor}\n`;
}
