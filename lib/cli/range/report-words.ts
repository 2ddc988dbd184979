/** The words of the report's page. The Korean headings are those that its readers look for. */
export interface Words {
  readonly title: string;
  readonly again: { readonly heading: string; readonly columns: readonly string[] };
  readonly met: { readonly heading: string; readonly columns: readonly string[] };
  readonly doubles: { readonly heading: string };
  readonly sent: { readonly heading: string; readonly columns: readonly string[] };
  readonly done: (partitions: number, orders: bigint, amount: bigint) => string;
  readonly order: string;
  readonly owners: (owners: string) => string;
  readonly partitionsOf: (owner: string, partitions: number) => string;
  readonly skips: string;
  readonly noClaims: string;
  readonly claims: string;
  readonly measured: (range: string, part: string) => string;
  readonly gap: (added: bigint, derived: bigint, gap: bigint, part: string) => string;
  readonly nothingToDouble: string;
  readonly derived: (orders: bigint, amount: bigint) => string;
  readonly stored: (orders: bigint, amount: bigint) => string;
  readonly storedOff: (orders: bigint, amount: bigint) => string;
  readonly noStored: string;
  readonly sealed: (dates: string) => string;
  readonly noSeals: string;
  readonly corrections: string;
  readonly noCorrections: string;
}

const en: Words = {
  title: 'Re-running a past range',
  again: { heading: 'What was run again', columns: ['Partition', 'Orders', 'Amount', 'Owner'] },
  met: { heading: 'How it met the regular run', columns: ['Partition', 'Claimed by'] },
  doubles: { heading: 'Why an accumulated total doubles' },
  sent: {
    heading: 'Places that must not be gone back to',
    columns: ['Partition', 'Orders, then and now', 'Amount, then and now', 'Reason'],
  },
  done: (partitions, orders, amount) =>
    `Partitions: ${partitions}. Orders: ${orders}. Amount: ${amount}.`,
  order: 'In the order in which they were last written, each replaced whole:',
  owners: (owners) => `Written last by: ${owners}.`,
  partitionsOf: (owner, partitions) => `${owner} (partitions: ${partitions})`,
  skips:
    'A run skips a partition that somebody else has claimed, and reports it as `claimed_by:<owner>` with exit code 5. It neither waits nor overwrites.',
  noClaims: 'Nothing is claimed now.',
  claims: 'Claimed now:',
  measured: (range, part) =>
    `Measured in a temporary store: ${range} was run and added up; then ${part} was run again, and added again.`,
  gap: (added, derived, gap, part) =>
    `The added total says ${added}, the derived one ${derived}. The difference of ${gap} is the amount of ${part}, which the added total has counted twice. A derived total is the same however often a range is run.`,
  nothingToDouble: 'There is no partition yet that could be counted twice; the difference is 0.',
  derived: (orders, amount) => `Derived from the partitions: ${orders} orders, amount ${amount}.`,
  stored: (orders, amount) => `The stored total is the same: ${orders} orders, amount ${amount}.`,
  storedOff: (orders, amount) =>
    `**The stored total is another one: ${orders} orders, amount ${amount}.** \`rollup\` puts it right.`,
  noStored: 'No total is stored; `rollup` stores it.',
  sealed: (dates) => `Sent out, and sealed: ${dates}. No run touches them.`,
  noSeals: 'Nothing is sealed.',
  corrections:
    'What was sent stays as it is; what would be right now stands beside it, in the order of the corrections:',
  noCorrections: 'There are no corrections.',
};

const ko: Words = {
  title: '과거 구간을 다시 돌린 기록',
  again: { heading: '무엇을 다시 돌렸나', columns: ['파티션', '주문 수', '금액', '주인'] },
  met: { heading: '정기 실행과 어떻게 부딪혔나', columns: ['파티션', '예약한 주인'] },
  doubles: { heading: '누적 집계는 왜 두 배가 되나' },
  sent: {
    heading: '되돌리면 안 되는 자리',
    columns: ['파티션', '주문 수 (당시 → 지금)', '금액 (당시 → 지금)', '사유'],
  },
  done: (partitions, orders, amount) => `파티션 ${partitions}개, 주문 ${orders}건, 금액 ${amount}.`,
  order: '마지막으로 기록된 순서이며, 파티션마다 통째로 교체했다.',
  owners: (owners) => `마지막으로 기록한 주인: ${owners}.`,
  partitionsOf: (owner, partitions) => `${owner} (파티션 ${partitions}개)`,
  skips:
    '다른 주인이 예약한 파티션은 건너뛰고 `claimed_by:<주인>`으로 보고하며 종료 코드는 5이다. 기다리지도 덮어쓰지도 않는다.',
  noClaims: '지금 예약된 파티션은 없다.',
  claims: '지금 예약된 파티션:',
  measured: (range, part) =>
    `임시 저장소에서 측정했다. ${range} 구간을 실행해 누적에 더한 다음, ${part} 구간을 다시 실행하고 한 번 더 더했다.`,
  gap: (added, derived, gap, part) =>
    `더한 누적은 ${added}, 파생한 누적은 ${derived}이다. 차이는 ${gap}이고, 두 번 더해진 ${part} 구간의 금액과 정확히 같다. 파생한 누적은 몇 번을 다시 실행해도 값이 같다.`,
  nothingToDouble: '두 번 더해질 파티션이 아직 없다. 차이는 0이다.',
  derived: (orders, amount) => `파티션에서 파생한 누적: 주문 ${orders}건, 금액 ${amount}.`,
  stored: (orders, amount) => `저장된 누적도 같다: 주문 ${orders}건, 금액 ${amount}.`,
  storedOff: (orders, amount) =>
    `**저장된 누적은 다르다: 주문 ${orders}건, 금액 ${amount}.** \`rollup\`이 바로잡는다.`,
  noStored: '저장된 누적이 없다. `rollup`이 저장한다.',
  sealed: (dates) => `이미 내보내어 봉인한 파티션: ${dates}. 어떤 실행도 건드리지 않는다.`,
  noSeals: '봉인된 파티션은 없다.',
  corrections: '내보낸 값은 그대로 두고, 지금 맞는 값을 정정으로 나란히 남긴다.',
  noCorrections: '정정은 없다.',
};

export const WORDS = { en, ko };
export type Language = keyof typeof WORDS;
