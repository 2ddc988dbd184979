import { CellSwatch } from '@/components/charts/cell-swatch';
import { cellCode } from '@/components/charts/partition-cells';
import { RtoClock } from '@/components/release/rto-clock';
import { Stamp, StateBadge } from '@/components/release/state-badge';
import { MiniRail, StateRail } from '@/components/release/state-rail';
import {
  FLAG_LOOKS,
  type FlagName,
  GENERATION_LOOKS,
  type GenerationStateName,
  LINE,
  PARTITION_LOOKS,
  type PartitionStateName,
  RELEASE_LOOKS,
  type ReleaseStateName,
} from '@/components/release/states';
import { StatusLine } from '@/components/release/status-line';
import { Steps } from '@/components/release/steps';
import { Button } from '@/components/ui/button';
import { DigestChip } from '@/components/ui/digest-chip';
import { Empty, NoPermission } from '@/components/ui/empty';
import { Note } from '@/components/ui/note';
import { Panel } from '@/components/ui/panel';
import { SkeletonPanel, SkeletonTable } from '@/components/ui/skeleton';
import { digest } from './story';

const history = [
  { state: 'DRAFT', by: 'ana', at: '09:05' },
  { state: 'SNAPSHOT_PINNED', by: 'ana', at: '09:14' },
  { state: 'BUILDING', at: 'since 09:16' },
] as const;

const whole = [
  ...history,
  { state: 'INGRESS_SEALED', by: 'dee', at: '14:02' },
  { state: 'CAUGHT_UP', by: 'runner', at: '14:02' },
  { state: 'RECONCILED', by: 'runner', at: '14:02' },
  { state: 'APPROVED', by: 'ben, cyd' },
  { state: 'ACTIVE', by: 'dee', at: '14:04' },
] as const;

export function StateSamples() {
  return (
    <>
      <Panel title="State rail">
        <div className="stack">
          <StateRail current="BUILDING" history={history} progress={0.843} />
          <StatusLine
            look={RELEASE_LOOKS.BUILDING}
            turning
            done={263}
            total={312}
            noun="built"
            rate="1,480 rows/s"
            workers="2 of 4 workers"
            waits="lag 41 s > 30 s"
            secondsLeft={80}
          />
          <StateRail current="ACTIVE" history={whole} progress={0.1} />
          <StateRail
            current="RECONCILIATION_REQUIRED"
            history={[...history, { state: 'RECONCILIATION_REQUIRED', by: 'runner', at: '09:31' }]}
          />
          <StateRail
            current="REJECTED"
            history={[...whole.slice(0, 6), { state: 'REJECTED', by: 'cyd', at: '14:10' }]}
          />
          <StateRail
            current="ROLLED_BACK"
            history={[...whole, { state: 'ROLLED_BACK', by: 'dee', at: '14:31' }]}
          />
          <div className="row">
            {[...LINE, 'REJECTED', 'ABANDONED', 'ROLLED_BACK', 'RECONCILIATION_REQUIRED'].map(
              (state) => (
                <MiniRail key={state} current={state as ReleaseStateName} history={history} />
              ),
            )}
          </div>
        </div>
      </Panel>
      <div className="grid g2">
        <div className="stack">
          <Panel title="Partition states">
            <ul className="col">
              {(Object.keys(PARTITION_LOOKS) as PartitionStateName[]).map((state) => (
                <li key={state} className="row">
                  <CellSwatch code={cellCode(state)} size={20} />
                  <StateBadge partition={state} />
                </li>
              ))}
            </ul>
          </Panel>
          <Panel title="Loading" flush busy>
            <SkeletonTable
              columns={[
                { head: 'Partition, Europe/London' },
                { head: 'State' },
                { head: 'Rows', number: true },
              ]}
            />
          </Panel>
          <SkeletonPanel title="Loading, prose" lines={3} />
        </div>
        <div className="stack">
          <Panel title="Release states, generations and flags">
            <div className="row">
              {(Object.keys(RELEASE_LOOKS) as ReleaseStateName[]).map((state) => (
                <StateBadge key={state} release={state} pill />
              ))}
              {(Object.keys(GENERATION_LOOKS) as GenerationStateName[]).map((state) => (
                <StateBadge key={state} generation={state} pill />
              ))}
              {(Object.keys(FLAG_LOOKS) as FlagName[]).map((flag) => (
                <StateBadge key={flag} flag={flag} pill />
              ))}
              <StateBadge ingress="OPEN" />
              <StateBadge ingress="SEALED" />
              <Stamp>Waits for 2 approvers, you wrote it</Stamp>
            </div>
          </Panel>
          <Panel title="Notes">
            <div className="col">
              <Note
                title="Changed since you looked."
                action={<Button size="sm">Show what changed</Button>}
              >
                dee paused vat-fix@3 at 09:22:04 GMT. Nothing that you pressed was done.
              </Note>
              <Note tone="wait" icon="lock" title="Ingress reopens by itself at 14:17:11 GMT.">
                Signatures on this evidence are void then.
              </Note>
              <Note tone="seal" title="28 sealed partitions stay as published">
                Each with rows gets a correction. This does not block.
              </Note>
              <Note
                tone="bad"
                title="EVIDENCE_MOVED, nothing was signed."
                action={<Button size="sm">Read it again</Button>}
              >
                1 check changed after you opened the page.
              </Note>
            </div>
          </Panel>
          <Panel title="Empty">
            <Empty title="No rollback is running." action={<Button size="sm">Open on-call</Button>}>
              The last one, vat-fix@2, took 2:11 of 15:00 on 11 Dec 2011 at 03:12 GMT.
            </Empty>
          </Panel>
          <Panel title="No permission">
            <NoPermission
              what="Only approvers see who signs next."
              person="eve"
              roles={['auditor']}
              needs="approver"
            />
          </Panel>
        </div>
      </div>
      <div className="grid g2">
        <Panel
          title="Rolling back vat-fix@2"
          aside={
            <StateBadge release="ROLLED_BACK" pill>
              Rollback running
            </StateBadge>
          }
        >
          <RtoClock
            elapsedSeconds={86}
            estimateSeconds={131}
            running={false}
            startText="03:12:41"
            endText="03:27:41 GMT"
          />
          <Steps
            label="Steps of the rollback"
            turning
            steps={[
              {
                name: 'ask',
                phase: 'done',
                title: (
                  <>
                    Requested by <b>dee</b>
                  </>
                ),
                time: '0:00',
                note: 'Ledger tie-out fails on 18,402 lines: gross is not net + tax',
              },
              {
                name: 'sign',
                phase: 'done',
                title: (
                  <>
                    Signature stands, <b>cyd</b>
                  </>
                ),
                time: '0:00',
                note: (
                  <>
                    signed with the cutover, binds <DigestChip value={digest('e')} />
                  </>
                ),
              },
              {
                name: 'replay',
                phase: 'now',
                title: 'Replaying into vat-stop-g1, 20,655 of 31,346',
                time: '1:26',
                progress: { done: 20655, total: 31346, label: 'events replayed' },
                note: '243 events/s, readers and writers still on vat-fix-g2',
              },
              {
                name: 'seal',
                phase: 'next',
                title: 'Seal epoch 39',
                note: 'fixes the second barrier, usually 12 ms',
              },
              {
                name: 'void',
                phase: 'void',
                title: 'ben signed',
                time: '11:40:22',
                note: 'void since 11:53:02: ingress reopened',
              },
              {
                name: 'fail',
                phase: 'failed',
                title: 'Tail check',
                time: '1:31',
                note: '2 events of shard 3 are missing',
              },
            ]}
          />
        </Panel>
        <Panel title="Late clock">
          <RtoClock elapsedSeconds={942} running={false} />
        </Panel>
      </div>
    </>
  );
}
