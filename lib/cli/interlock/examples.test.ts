import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { readNamed, readYamlFile } from '@/lib/cli/interlock/yaml-file';
import { parseDatasetBody } from '@/lib/domain/dataset';
import type { Instant } from '@/lib/domain/instant';
import { partitionsBetween } from '@/lib/domain/partition-plan';
import { parseRelease } from '@/lib/domain/release';
import { sourceBodySchema } from '@/lib/domain/source';

const file = (name: string) =>
  fileURLToPath(new URL(`../../../examples/online-retail/${name}`, import.meta.url));

describe('the files of the Online Retail example', () => {
  it('are what the API takes', async () => {
    const source = await readNamed(file('source.yaml'));
    expect(source.name).toBe('retail');
    expect(sourceBodySchema.parse(source.body).key).toEqual(['line']);
    const dataset = await readNamed(file('dataset.yaml'));
    expect(parseDatasetBody(dataset.body)).toMatchObject({ source: 'retail', partition: 'day' });
  });

  it('recompute whole London days from the day of the change on', async () => {
    const release = parseRelease(await readYamlFile(file('release.yaml')));
    const { body } = await readNamed(file('dataset.yaml'));
    const { timezone, partition } = parseDatasetBody(body);
    const { from, to } = release.range;
    const days = partitionsBetween(timezone, partition, from, to as Instant);
    expect(days).toHaveLength(release.expected.partitions ?? 0);
    expect([days[0]?.start, days.at(-1)?.end]).toEqual([from, to]);
  });
});
