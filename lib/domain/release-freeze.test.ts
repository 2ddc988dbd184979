import { describe, expect, it } from 'vitest';
import { policySchema } from './dataset';
import { parseRelease } from './release';
import {
  type DatasetFacts,
  datasetDisagreements,
  freezeSpec,
  unknownColumns,
} from './release-freeze';

const OLD = `sha256:${'aa'.repeat(32)}`;
const NEW = `sha256:${'bb'.repeat(32)}`;
const COLUMNS = `sha256:${'cc'.repeat(32)}`;
const DATASET: DatasetFacts = {
  source: 'retail',
  timezone: 'Europe/London',
  partition: 'day',
  columns: COLUMNS,
  oldTransform: OLD,
  conserved: [{ name: 'net', old: 'sum(net)', new: 'sum(net)' }],
  policy: policySchema.parse({ approvals: { cutover: 3, rollback: 1 } }),
};
const PIN = {
  release: 'vat-fix@3',
  owner: 'ana',
  newTransform: { digest: NEW, commit: '4f2a91c', lock: null },
  snapshot: 'retail:snapshot-7',
};
const BODY = {
  release: 'vat-fix',
  dataset: 'order_tax',
  range: { from: '2011-01-04T00:00:00Z', to: 'open' },
  source: { name: 'retail' },
  transform: { new: { sql: 'select 1 from source' } },
  targetGeneration: 'vat-fix-g3',
};

describe('freezing a release', () => {
  it('fills everything in', () => {
    const frozen = freezeSpec(parseRelease(BODY), DATASET, PIN);
    expect(frozen).toMatchObject({
      release: 'vat-fix@3',
      owner: 'ana',
      timezone: 'Europe/London',
      partition: 'day',
      columns: COLUMNS,
      conserved: DATASET.conserved,
      source: { name: 'retail', pin: 'SNAPSHOT', snapshot: 'retail:snapshot-7' },
      transform: { old: OLD, new: NEW, commit: '4f2a91c', lock: null },
      policy: DATASET.policy,
    });
  });

  it('takes the larger number of signatures', () => {
    const spec = parseRelease({ ...BODY, approvals: { cutover: 2, rollback: 2 } });
    expect(freezeSpec(spec, DATASET, PIN).approvals).toEqual({
      cutover: 3,
      rollback: 2,
      basis: 'final',
    });
  });

  it('lets the release say what it conserves', () => {
    const spec = parseRelease({ ...BODY, conserved: [] });
    expect(freezeSpec(spec, DATASET, PIN).conserved).toEqual([]);
  });

  it('refuses a release that says of its dataset what is not so', () => {
    const spec = parseRelease({
      ...BODY,
      timezone: 'UTC',
      partition: 'hour',
      columns: OLD,
      source: { name: 'orders' },
      transform: { old: NEW, new: NEW },
    });
    expect(datasetDisagreements(spec, DATASET).map((b) => `${b.code} ${b.pointer}`)).toEqual([
      'SOURCE_MISMATCH /source/name',
      'DATASET_DISAGREES /timezone',
      'DATASET_DISAGREES /partition',
      'DATASET_DISAGREES /columns',
      'DATASET_DISAGREES /transform/old',
    ]);
    expect(datasetDisagreements(parseRelease(BODY), DATASET)).toEqual([]);
  });

  it('names columns that are not there', () => {
    const spec = parseRelease({
      ...BODY,
      contract: [
        { check: 'not_null', column: 'tax' },
        { check: 'not_null', column: 'vat' },
      ],
      expectedDiff: [{ rule: 'vat', where: 'true', columns: ['tax', 'gross'] }],
    });
    const columns = [{ name: 'tax', type: 'numeric', nullable: true }];
    expect(unknownColumns(spec, columns).map((i) => i.pointer)).toEqual([
      '/contract/1/column',
      '/expectedDiff/0/columns/1',
    ]);
  });
});
