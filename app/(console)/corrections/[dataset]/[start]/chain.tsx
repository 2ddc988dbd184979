import Link from 'next/link';
import type { ReactNode } from 'react';
import { type Step, Steps } from '@/components/release/steps';
import { DigestChip } from '@/components/ui/digest-chip';
import { Figure } from '@/components/ui/figure';
import { countText } from '@/components/ui/figure-text';
import { Icon } from '@/components/ui/icon';
import { Panel } from '@/components/ui/panel';
import type { CorrectionItem } from '@/lib/queries/corrections';
import type { PartitionHistory } from '@/lib/queries/corrections-history';
import { When } from '../../../_parts/when';
import { figureLines } from '../../figure-lines';
import { Difference, Value } from '../../figure-value';
import { KIND_LOOKS } from '../../kinds';
import { receiptHref } from '../../links';

/** What was published, and each correction after it: where it begins, where it ends, who said why. */
export function Chain({ history, zone }: { history: PartitionHistory; zone: string }) {
  const { corrections, publications, published, addsUp } = history;
  const first = publications.find(({ sealed }) => sealed);
  return (
    <Panel title="Corrections" id="chain" count={corrections.length}>
      <AddsUp history={history} />
      <Steps
        label="What was published and each correction, oldest first"
        steps={[
          {
            name: 'published',
            phase: 'done',
            icon: 'lock',
            title: (
              <>
                Published with <b>{countText(published.rows, 'row')}</b>
              </>
            ),
            time: first && <When zone={zone} at={first.at} />,
            note: (
              <>
                {first && `${first.by}, to ${first.sentTo}; `}
                served by <span className="mono">{published.generation}</span>, transform{' '}
                <DigestChip value={published.transform} />
              </>
            ),
          },
          ...corrections.map((item, at) =>
            stepOf(item, zone, addsUp ? null : brokenAt(history, at)),
          ),
        ]}
      />
    </Panel>
  );
}

function AddsUp({
  history: { corrections, addsUp, delta, published, asOfNow },
}: {
  history: PartitionHistory;
}) {
  if (corrections.length === 0) {
    return (
      <p className="m adds-up">
        Nothing was corrected: as of now the figures are what was published.
      </p>
    );
  }
  if (!addsUp) {
    return (
      <p className="st bad adds-up" role="alert">
        <Icon name="bad" />
        The corrections do not add up: one of them does not begin where the one before it ended.
        Have the audit chain verified before you rely on them.
      </p>
    );
  }
  return (
    <div className="adds-up">
      <p className="st ok">
        <Icon name="ok" />
        {corrections.length === 1 ? 'It adds up.' : 'They add up.'}
      </p>
      <p>
        {corrections.length === 1
          ? 'It begins at what was published and ends'
          : `The first of the ${corrections.length} begins at what was published, every other one where the one before it ended, and the last ends`}{' '}
        at the figures as of now: {countText(published.rows, 'row')} and{' '}
        <Signed value={String(delta.rows)} /> are <Figure value={asOfNow.rows} />
        {Object.entries(delta.sums).map(([name, difference]) => (
          <span key={name}>
            ; {name} <Value value={published.sums[name] ?? '0'} /> and <Signed value={difference} />{' '}
            are <Value value={asOfNow.sums[name] ?? '0'} />
          </span>
        ))}
        .
      </p>
    </div>
  );
}

function Signed({ value }: { value: string }): ReactNode {
  return /[1-9]/.test(value) ? <Figure value={value} signed /> : 'nothing';
}

/** The figures in which a correction does not begin where the one before it ended. */
function brokenAt({ published, corrections }: PartitionHistory, at: number): string | null {
  const before = corrections[at]?.before;
  const earlier = corrections[at - 1]?.after ?? published;
  if (!before || before.root === earlier.root) return null;
  return 'It does not begin where the one before it ended.';
}

function stepOf(item: CorrectionItem, zone: string, broken: string | null): Step {
  const changed = figureLines([item.before, item.after], item.delta).filter(
    ({ values: [before, after] }) => before !== after,
  );
  return {
    name: item.id,
    phase: broken === null ? 'done' : 'failed',
    icon: broken === null ? KIND_LOOKS[item.kind].icon : 'bad',
    title:
      changed.length === 0 ? (
        'Would be the same'
      ) : (
        <>
          Would be{' '}
          {changed.map(({ key, name, values: [before, after], delta }, at) => (
            <span key={key}>
              {at > 0 && ', '}
              <span className="nw">
                {name} <Value value={before} /> →{' '}
                <b>
                  <Value value={after} />
                </b>
              </span>
              {delta !== null && (
                <span className="nw m">
                  {' '}
                  (<Difference value={delta} />)
                </span>
              )}
            </span>
          ))}
        </>
      ),
    time: <When zone={zone} at={item.at} />,
    note: (
      <>
        {broken !== null && <span className="bad">{broken} </span>}“{item.reason}”, {item.by},{' '}
        {KIND_LOOKS[item.kind].label}
        {item.release !== null && <OfRelease item={item} release={item.release} />}
        <span className="block">
          in use then <span className="mono">{item.generation}</span>, transform{' '}
          <DigestChip value={item.transform} />
        </span>
      </>
    ),
  };
}

function OfRelease({ item, release }: { item: CorrectionItem; release: string }) {
  const { receipt, signatures } = item;
  return (
    <span className="block">
      Release <Link href={`/releases/${release}`}>{release}</Link>
      {', '}
      {receipt ? (
        <Link href={receiptHref(receipt.release, receipt.partition)}>
          receipt of this partition
        </Link>
      ) : (
        'no receipt of this partition'
      )}
      {', '}
      <Link href={`/releases/${release}/approval`}>
        {signatures.length === 0 ? 'signatures' : `signed by ${signatures.join(', ')}`}
      </Link>
    </span>
  );
}
