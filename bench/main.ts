import { parseArgs } from 'node:util';
import { consoleBenchmark } from './console/console';
import { machineLines } from './machine';
import type { Benchmark } from './measure';

// `npm run bench -- [--enforce] [name …]`: the benchmarks that are named, all without a name.
// With --enforce the process fails where a figure is over its bar; else it only says so.

const benchmarks: Readonly<Record<string, Benchmark>> = { console: consoleBenchmark };

const { values, positionals } = parseArgs({
  options: { enforce: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const chosen = positionals.length > 0 ? positionals : Object.keys(benchmarks);
const unknown = chosen.filter((name) => !(name in benchmarks));
if (unknown.length > 0) {
  console.error(
    `no benchmark ${unknown.join(', ')}; there are: ${Object.keys(benchmarks).join(', ')}`,
  );
  process.exit(2);
}

let over = 0;
for (const name of chosen) {
  console.log(`\n${name}\n${machineLines().join('\n')}`);
  over += (await benchmarks[name]?.((line) => console.log(line))) ?? 0;
}
console.log(over === 0 ? '\nEvery figure is within its bar.' : `\n${over} over their bar.`);
process.exit(values.enforce && over > 0 ? 1 : 0);
