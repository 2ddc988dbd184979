import { Facts } from '@/components/ui/figure';
import { Icon } from '@/components/ui/icon';
import { Panel } from '@/components/ui/panel';
import type { PartitionHistory } from '@/lib/queries/corrections-history';
import { Between, When } from '../../../_parts/when';
import { DocumentText } from '../../publications-tab';

/** Every time that figures of this partition were sent out. */
export function Sendings({ history, zone }: { history: PartitionHistory; zone: string }) {
  const { publications } = history;
  return (
    <Panel title="Sent out" count={publications.length}>
      <ol className="sendings">
        {publications.map(({ id, at, sentTo, document, by, range, sealed }) => (
          <li key={id}>
            <p className="row">
              <Icon name={sealed ? 'lock' : 'dot'} className={sealed ? 'seal' : 'idle'} />
              <b className="wrap">{sentTo}</b>
            </p>
            <Facts
              items={[
                { term: 'When', value: <When zone={zone} at={at} /> },
                { term: 'By', value: by },
                { term: 'Range', value: <Between zone={zone} from={range.from} to={range.to} /> },
                { term: 'Document', value: <DocumentText text={document} /> },
                {
                  term: 'Sealed',
                  value: sealed
                    ? 'by this one: its figures are the published ones'
                    : 'before: what stood was sent again',
                },
              ]}
            />
          </li>
        ))}
      </ol>
    </Panel>
  );
}
