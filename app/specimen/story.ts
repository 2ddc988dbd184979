import type { HeatCell } from '@/components/charts/heatmap-bins';
import { cellCodes, type Edges } from '@/components/charts/partition-cells';
import type { BlockerView } from '@/components/release/blockers';
import type { Gate } from '@/components/release/gates';
import type { RowDiffRow } from '@/components/release/row-diff';
import type { PartitionStateName } from '@/components/release/states';
import { civilOf, epochDayOf } from '@/lib/domain/civil-date';

/** Made-up data of one story, the same at each call: the VAT fix of the design. */

const two = (n: number) => n.toString().padStart(2, '0');

/** A repeatable sequence of numbers from 0 to 1. */
export function noise(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

function edgesOf(
  count: number,
  zone: string,
  at: (index: number) => [day: number, hour: number],
): Edges {
  const text: string[] = [];
  const utc: string[] = [];
  for (let index = 0; index <= count; index += 1) {
    const [epochDay, hour] = at(index);
    const { year, month, day } = civilOf(epochDay);
    const date = `${year}-${two(month)}-${two(day)}`;
    const summer = date > '2011-03-27' && date <= '2011-10-30';
    text.push(`${date} ${two(hour)}:00 ${zone === 'UTC' ? 'UTC' : summer ? 'BST' : 'GMT'}`);
    utc.push(`${date}T${two(hour)}:00:00Z`);
  }
  return { text, utc, zone };
}

const day = (year: number, month: number, date: number) => epochDayOf({ year, month, day: date });

export const days340 = edgesOf(340, 'Europe/London', (at) => [day(2011, 1, 4) + at, 0]);
export const hours8760 = edgesOf(8760, 'UTC', (at) => [
  day(2011, 1, 1) + Math.floor(at / 24),
  at % 24,
]);
export const days50000 = edgesOf(50_000, 'UTC', (at) => [day(1950, 1, 1) + at, 0]);
export const weeks150 = edgesOf(150, 'UTC', (at) => [day(2009, 1, 5) + at * 7, 0]);
export const months40 = edgesOf(40, 'UTC', (at) => [
  day(2009 + Math.floor(at / 12), (at % 12) + 1, 1),
  0,
]);

/** Sealed January, built until August, a gap under way, a failure in November. */
export const states340 = (() => {
  let states = cellCodes(new Array<PartitionStateName>(28).fill('sealed'));
  for (let at = 28; at < 340; at += 1) {
    const saturday = (at + 1) % 7 === 5;
    if (at === 236 || at === 283) states += 'u';
    else if (at > 236 && at < 283) states += 'p';
    else if (at === 314) states += 'f';
    else states += saturday ? 'e' : 'b';
  }
  return states;
})();

export function mixedStates(count: number, seed: number): string {
  const random = noise(seed);
  let states = '';
  for (let at = 0; at < count; at += 1) {
    const share = at / count;
    const r = random();
    if (r < 12 / count) states += 'f';
    else if (share < 0.1) states += 's';
    else if (share < 0.5) states += r < 0.06 ? 'e' : 'r';
    else if (share < 0.62) states += 'k';
    else if (share < 0.8) states += r < 0.1 ? 'e' : 'b';
    else if (share < 0.81) states += 'u';
    else if (share < 0.9) states += 'p';
    else if (share < 0.93) states += 'c';
    else states += 'i';
  }
  return states;
}

export const heat: HeatCell[] = (() => {
  const random = noise(7);
  const cells: HeatCell[] = [];
  for (let partition = 0; partition < 312; partition += 1) {
    if (partition % 7 === 4) continue;
    for (let bucket = 0; bucket < 64; bucket += 1) {
      const rows = Math.round((18 + (partition / 312) * 60) * (0.65 + 0.7 * random()));
      cells.push([partition, bucket, rows, partition === 120 && bucket === 30 ? 2 : 0]);
    }
  }
  return cells;
})();

export const digest = (letter: string) =>
  `sha256:${`${letter}7be1f5b7043ead2cbf3d77af792129353148a3888231d1b1fd52f1681328e2`.slice(0, 63)}1`;

export const blockers: BlockerView[] = [
  {
    code: 'PARTITIONS_MISSING',
    kind: 'fix',
    message: '1 partition failed',
    link: '#coverage',
    detail: '[2011-11-14 00:00, 2011-11-15 00:00) Europe/London, statement timeout',
    fix: {
      label: 'Retry 1',
      action: async () => ({
        ok: false,
        problem: {
          code: 'HELD',
          title: 'The release is held.',
          detail: 'cyd holds it since 11:51:08.',
        },
      }),
    },
  },
  {
    code: 'REHEARSAL_MISSING',
    kind: 'fix',
    message: 'No rehearsal after the last receipt',
    fix: { label: 'Rehearse', notYet: 'possible once all 312 are built' },
  },
  {
    code: 'BARRIER_NOT_COVERED',
    kind: 'wait',
    message: '48 partitions have no receipt',
    link: '#coverage',
    detail: '2 building, 46 planned',
  },
  { code: 'LAG', kind: 'wait', message: 'Live lag', expected: 'at most 30 s', current: '41 s' },
];

export const gates: Gate[] = [
  {
    name: 'coverage',
    verdict: 'passed',
    label: 'Coverage of 312 rebuilt and 28 carried over',
    figure: '100 %',
    digest: digest('a'),
  },
  { name: 'overlap', verdict: 'passed', label: 'Overlap', figure: '0', digest: digest('b') },
  {
    name: 'conserved',
    verdict: 'failed',
    label: 'Conserved: sum(net) old, new, source',
    figure: '0.010',
    href: '#diff',
    digest: digest('c'),
    note: 'must be 0; old 8,438,790.654, new 8,438,790.664',
  },
  {
    name: 'drift',
    verdict: 'passed',
    label: 'Drift accepted by name: feb-hand-patch',
    figure: '312 of 312',
    digest: digest('d'),
    note: 'Served tax was patched by hand at 2011-02-03 16:40 GMT, ticket FIN-2207.',
  },
  {
    name: 'nulls',
    verdict: 'incomplete',
    label: 'Null distribution',
    figure: '204 of 312',
    note: 'stopped at its budget; INCOMPLETE is not 0',
  },
  {
    name: 'writes',
    verdict: 'watching',
    label: 'Canonical writes to vat-stop-g1',
    figure: '0 in 1 min 41 s',
    tag: 'watching',
  },
];

export const diffRows: RowDiffRow[] = [
  {
    key: '1',
    class: 'changed',
    once: ['542605/22386/1', '2011-02-01 08:26', '19.500'],
    old: ['3.41', '22.910'],
    control: ['3.41', '22.910'],
    new: ['3.90', '23.400'],
    rules: ['vat-20'],
  },
  {
    key: '2',
    class: 'drift',
    once: ['542981/84879/4', '2011-02-03 14:10', '54.080'],
    old: ['10.82', '64.900'],
    control: ['9.46', '63.540'],
    new: ['10.82', '64.900'],
    rules: ['vat-20', 'feb-hand-patch'],
  },
  {
    key: '3',
    class: 'removed',
    once: ['549524/22769/1', '2011-04-08 17:03', '0.000'],
    old: ['0.00', '0.000'],
    control: ['0.00', '0.000'],
    new: null,
    rules: ['adjustment-removed'],
  },
  {
    key: '4',
    class: 'added',
    once: ['C553031/23084/1', '2011-05-13 10:27', '−36.000'],
    old: null,
    control: null,
    new: ['−7.20', '−43.200'],
    rules: [],
    unexplained: true,
  },
  {
    key: '5',
    class: 'changed',
    once: ['573285/M/1', '2011-10-28 11:52', '2,033.100'],
    old: ['355.79', null],
    control: ['355.79', null],
    new: ['406.62', '2,439.720'],
    rules: ['vat-20'],
  },
];

export const oldSql = `select
  line, invoiced_at,
  country, customer,
  quantity * unit_price as net,
  round(quantity * unit_price
    * 0.175, 2) as tax,
  quantity * unit_price
    + round(quantity * unit_price
    * 0.175, 2) as gross
from source`;
export const newSql = `${oldSql.replaceAll('0.175', '0.20')}\nwhere unit_price <> 0`;
export const wrongSql = newSql.replace('customer,', 'custmer,');

export const throughput = (() => {
  const random = noise(11);
  return Array.from({ length: 60 }, (_, at) => {
    const second = 16 * 60 + at * 5;
    const text = `09:${two(Math.floor(second / 60))}:${two(second % 60)}`;
    return {
      utc: `2011-12-12T${text}Z`,
      text,
      rate: at > 38 && at < 44 ? 0 : 1300 + 400 * random(),
      queue: Math.max(0, 312 - at * 5),
    };
  });
})();

export const nullShares = 'Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'
  .split(' ')
  .map((label, at) => ({
    label,
    old: (24.4 + ((at * 37) % 11) / 5).toFixed(2),
    new: (24.2 + ((at * 37) % 11) / 5).toFixed(2),
  }));
