import type { DatasetShape } from '@/lib/db/dataset-shape';
import { Invalid } from '@/lib/domain/refusal';
import { checkReport, type Report } from '@/lib/transform/report';

/**
 * Checks a report's text against its dataset.
 *
 * @throws Invalid with every problem at its line and column
 */
export async function checkedReport(text: string, dataset: DatasetShape): Promise<Report> {
  const checked = await checkReport(text, {
    dataset: dataset.name,
    columns: dataset.columns,
    key: dataset.key,
  });
  if (checked.ok) return checked.report;
  throw new Invalid(checked.problems.map((problem) => ({ pointer: '/sql', ...problem })));
}
