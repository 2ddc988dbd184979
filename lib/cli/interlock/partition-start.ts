import { type Instant, readInstant } from '@/lib/domain/instant';
import { readEdge } from '@/lib/domain/local-edge';
import { type PartitionUnit, partitionAt } from '@/lib/domain/partition-plan';
import { EXIT } from '@/lib/domain/refusal';
import { type ApiClient, CliError, pathOf } from './api-client';

/**
 * The start of the partition that somebody names: by its start instant, or by a date or local time in
 * the dataset's zone that lies in it. A date names no single hour, so it is no name for one.
 *
 * @throws CliError (usage) where it names none, or may name two
 */
export async function partitionStart(
  api: ApiClient,
  dataset: string,
  text: string,
): Promise<Instant> {
  const instant = readInstant(text);
  if (instant.ok) return instant.value;
  const { body } = await api.get(pathOf('datasets', dataset));
  const { timezone, partition: unit } = body as { timezone: string; partition: PartitionUnit };
  const edge = readEdge(timezone, text);
  if (!edge.ok) throw new CliError(edge.message, EXIT.usage);
  if (unit === 'hour' && /^\d{4}-\d{2}-\d{2}$/.test(text.trim())) {
    throw new CliError(
      `${dataset} has a partition for each hour: name one, such as "${text.trim()} 13:00".`,
      EXIT.usage,
    );
  }
  const partition = partitionAt(timezone, unit, edge.value);
  if (partition === null) throw new CliError(`${text} lies outside the calendar.`, EXIT.usage);
  return partition.start;
}
