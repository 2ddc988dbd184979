import type { Metadata } from 'next';
import { KeepOpen } from '@/components/release/keep-open';
import { may } from '@/lib/domain/permissions';
import type { Blocker } from '@/lib/domain/refusal';
import { cutoverMarks } from '@/lib/queries/cutover-marks';
import { type CutoverCondition, type CutoverPage, cutoverPage } from '@/lib/queries/cutover-view';
import { blockersOf, findRelease } from '@/lib/services/release';
import { webDatabase } from '@/lib/web/db';
import { decodedPart } from '@/lib/web/page-data';
import { signedIn } from '@/lib/web/session';
import { canDo, NoAccess, orNotFound } from '../../../_parts/access';
import { MarksPanel } from '../marks';
import { AfterCutover } from './after-cutover';
import { CONDITION_LABELS } from './conditions';
import { Execute, type ExecutePage } from './execute';
import { Moves, ShardTable } from './moves';
import { Refusals } from './refusals';
import { Switch } from './switch';
import '../../../_parts/parts.css';

export const metadata: Metadata = { title: 'Cutover' };

/** Before it is signed, or at least can be, the switch is nobody's next step. */
const READY = ['RECONCILED', 'APPROVED'];

export default async function CutoverTab({ params }: { params: Promise<{ release: string }> }) {
  const release = decodedPart((await params).release);
  const actor = await signedIn(`/releases/${release}/cutover`);
  if (!may(actor.roles, 'release.read')) {
    return <NoAccess actor={actor} verb="release.read" what="The conditions of the cutover." />;
  }
  const db = webDatabase();
  const page = await orNotFound(cutoverPage(db, release, actor.person));
  const can = canDo(actor, ['release.activate']);
  const open = page.cutover === null && READY.includes(page.state) && can['release.activate'];
  const execute = open ? <Execute page={shownOf(page)} blockers={await blockersFor(page)} /> : null;
  const offered = open ? 'cutover' : '';
  return (
    <>
      <div className="grid side">
        <div className="stack">
          <Switch page={page} />
          <MarksPanel marks={await cutoverMarks(db, page.id)} {...page} />
          <AfterCutover page={page} />
          <Refusals page={page} />
        </div>
        <div className="stack">
          <Moves page={page}>
            <KeepOpen of={offered}>
              {execute && <div className="sub hide-m">{execute}</div>}
            </KeepOpen>
          </Moves>
          <ShardTable page={page} />
        </div>
      </div>
      <KeepOpen of={offered}>{execute && <div className="stick">{execute}</div>}</KeepOpen>
    </>
  );
}

const shownOf = (page: CutoverPage): ExecutePage => ({
  release: page.release,
  version: page.version,
  now: page.now,
  dataset: page.dataset,
  generation: page.generation,
  oldGeneration: page.oldGeneration,
  epoch: page.epoch,
  evidence: page.evidence,
  rollbackWindowSeconds: page.rollbackWindowSeconds,
});

/**
 * Everything that stands in the way. Before APPROVED the move is not open at all, so the conditions
 * that fail are named instead: who looks sees what is still to come.
 */
async function blockersFor(page: CutoverPage): Promise<readonly Blocker[]> {
  const db = webDatabase();
  const open = (await blockersOf(db, await findRelease(db, page.release))).activate;
  const failed = page.conditions.filter((c) => !c.holds && c.code !== 'WRONG_STATE');
  if (open) {
    return [...open, ...failed.filter((c) => c.code === 'EXECUTOR_SIGNED').map(blockerOf)];
  }
  return failed.map((condition) => ({
    ...blockerOf(condition),
    ...(condition.code === 'APPROVALS_MISSING'
      ? { link: `/releases/${page.release}/approval` }
      : {}),
  }));
}

const blockerOf = ({ code, expected, current }: CutoverCondition): Blocker => ({
  code,
  kind: code === 'APPROVALS_MISSING' ? 'wait' : 'fix',
  message: CONDITION_LABELS[code] ?? code,
  expected,
  current,
});
