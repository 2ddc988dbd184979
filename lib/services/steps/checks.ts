import { sql } from 'drizzle-orm';
import { json, rows, type Tx } from '@/lib/db/client';
import { digestOf } from '@/lib/digest/canonical';
import { contractName } from '@/lib/domain/release';
import {
  type Check,
  conserved,
  contract,
  deleteDistribution,
  expectations,
  expectedDiff,
  keySet,
  nullDistribution,
  type PartitionFindings,
} from './checks-of-figures';
import {
  bucketCounts,
  drift,
  duplicateKeys,
  partitionClosure,
  quarantined,
  roots,
} from './checks-of-rows';
import type { CompiledSpec } from './compiled-spec';
import type { ReleaseShape } from './release-shape';

/** Every check of a run, from what its partitions found; stored with figure, verdict and digest. */
export async function checkAll(
  tx: Tx,
  shape: ReleaseShape,
  spec: CompiledSpec,
  id: string,
  kind: 'rehearsal' | 'final',
): Promise<'passed' | 'failed'> {
  const partitions = await rows<PartitionFindings>(
    tx,
    sql`select start_at as start, end_at as "end", old_rows as "oldRows", control_rows as "controlRows",
        new_rows as "newRows", unexplained, drift, changed, classes, columns, conserved, contract,
        exists (select from control.reconciliation e
          where e.id = carried_from and e.kind = 'rehearsal') as rehearsed
      from control.reconciliation_partition where reconciliation = ${id} order by start_at`,
  );
  const checks: Check[] = [
    await partitionClosure(tx, shape, partitions),
    ...expectations(shape, spec, partitions),
    expectedDiff(partitions),
    await drift(tx, shape, id),
    keySet(partitions),
    ...spec.frozen.conserved.map((c) => conserved(c.name, c.source !== undefined, partitions)),
    nullDistribution(shape, partitions),
    deleteDistribution(partitions),
    await duplicateKeys(tx, shape),
    await roots(tx, shape, spec, partitions, kind),
    await bucketCounts(tx, shape, partitions),
    await quarantined(tx, shape),
    ...spec.frozen.contract.map((item) => contract(contractName(item), item, partitions)),
  ];
  for (const [position, check] of checks.entries()) {
    const verdict = check.passed ? 'passed' : check.accepted ? 'accepted' : 'failed';
    const { name, figure, expected, detail } = check;
    await tx.execute(sql`
      insert into control.check_result (reconciliation, name, position, verdict, figure, expected, detail, digest)
      values (${id}, ${name}, ${position}, ${verdict === 'accepted' ? 'passed' : verdict}, ${figure},
        ${expected}, ${json(detail)}, ${digestOf('interlock.check.v1', { name, verdict, figure, expected, detail })})`);
  }
  return checks.every((c) => c.passed || c.accepted) ? 'passed' : 'failed';
}
