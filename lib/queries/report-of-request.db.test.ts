import { afterAll, beforeAll, expect, it } from 'vitest';
import { reportOfRequest } from '@/lib/queries/reports';
import { endReport, saveReport } from '@/lib/services/reports';
import type { TestDatabase } from '@/lib/testing/database';
import { openShop } from '@/lib/testing/shop';
import { as } from '@/lib/testing/world';

let t: TestDatabase;
beforeAll(async () => {
  ({ t } = await openShop());
});
afterAll(() => t.close());

it('finds the report that a request saved or ended, and none of one that was refused', async () => {
  const saving = as(t.db, 'ana');
  const { id } = await saveReport(saving, {
    dataset: 'order_tax',
    name: 'Lines',
    sql: 'select count(*) as lines from order_tax',
  });
  expect(await reportOfRequest(t.db, saving.requestId)).toBe(id);
  const ending = as(t.db, 'dee');
  await endReport(ending, { id });
  expect(await reportOfRequest(t.db, ending.requestId)).toBe(id);
  const late = as(t.db, 'dee');
  await expect(endReport(late, { id })).rejects.toMatchObject({ code: 'REPORT_ENDED' });
  expect(await reportOfRequest(t.db, late.requestId)).toBeNull();
});
