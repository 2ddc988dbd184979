import type { ReactNode } from 'react';
import { cx } from '@/components/ui/cx';
import { Icon } from '@/components/ui/icon';

export interface Condition {
  name: string;
  holds: boolean;
  label: ReactNode;
  expected: ReactNode;
  current: ReactNode;
}

/** The conditions of a compare-and-set, each with its expected and its current value. */
export function Conditions({
  conditions,
  currentHead = 'Current',
}: {
  conditions: readonly Condition[];
  /** "At the switch" once it is over. */
  currentHead?: string;
}) {
  return (
    <div className="scroll">
      <table className="cards cas">
        <thead>
          <tr>
            <th>
              <span className="sr">Holds</span>
            </th>
            <th>Condition</th>
            <th>Expected</th>
            <th>{currentHead}</th>
          </tr>
        </thead>
        <tbody>
          {conditions.map((condition) => (
            <tr key={condition.name}>
              <td>
                <Icon
                  name={condition.holds ? 'ok' : 'bad'}
                  className={condition.holds ? 'ok' : 'bad'}
                  label={condition.holds ? 'holds' : 'fails'}
                />
              </td>
              <td className="full">
                <b>{condition.label}</b>
              </td>
              <td data-l="Expected">{condition.expected}</td>
              <td data-l={currentHead} className={cx(!condition.holds && 'bad')}>
                {condition.current}
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
