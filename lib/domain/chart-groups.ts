import type { Instant } from './instant';
import { type LocalTime, localTime } from './partition-label';
import type { PartitionUnit } from './partition-plan';

export interface ChartGroup<T> {
  /** A short word for the axis: `4 Jan`, `Feb`, `2011`. */
  label: string;
  members: T[];
}

const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const two = (n: number) => String(n).padStart(2, '0');

/** How many bars a chart has room for. */
export const MOST_BARS = 31;

/**
 * Neighbouring partitions put together for a chart: each for itself where there are few, else the
 * months, else the years of the dataset's zone. In order of time.
 *
 * @param members partitions, or what is known of whole months of them
 * @param partitions how many there are, where the members are months
 */
export function chartGroups<T extends { start: string }>(
  zone: string,
  unit: PartitionUnit,
  members: readonly T[],
  partitions = members.length,
): ChartGroup<T>[] {
  const placed = members.map((member) => ({
    member,
    at: localTime(zone, member.start as Instant),
  }));
  if (partitions <= MOST_BARS) {
    return placed.map(({ member, at }) => ({ label: ownLabel(unit, at), members: [member] }));
  }
  const months = together(placed, (at) => `${at.year}-${two(at.month)}`);
  if (months.length > MOST_BARS) return together(placed, (at) => String(at.year)).map(bare);
  const years = new Set(placed.map(({ at }) => at.year)).size > 1 && months.length > 13;
  return months.map(({ label, members }) => {
    const [year = '', month = '1'] = label.split('-');
    const name = MONTHS[Number(month) - 1] ?? '';
    return { label: years ? `${name} ${year.slice(2)}` : name, members: members.map(memberOf) };
  });
}

type Placed<T> = { member: T; at: LocalTime };

const memberOf = <T>({ member }: Placed<T>) => member;

const bare = <T>({ label, members }: ChartGroup<Placed<T>>): ChartGroup<T> => ({
  label,
  members: members.map(memberOf),
});

function together<T>(
  placed: readonly Placed<T>[],
  nameOf: (at: LocalTime) => string,
): ChartGroup<Placed<T>>[] {
  const groups: ChartGroup<Placed<T>>[] = [];
  for (const each of placed) {
    const label = nameOf(each.at);
    const last = groups.at(-1);
    if (last?.label === label) last.members.push(each);
    else groups.push({ label, members: [each] });
  }
  return groups;
}

function ownLabel(unit: PartitionUnit, at: LocalTime): string {
  if (unit === 'month') return `${MONTHS[at.month - 1]} ${at.year}`;
  const day = `${at.day} ${MONTHS[at.month - 1]}`;
  return unit === 'hour' ? `${day} ${two(at.hour)}:${two(at.minute)}` : day;
}
