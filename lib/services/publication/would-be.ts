import type { Tx } from '@/lib/db/client';
import type { DatasetShape } from '@/lib/db/dataset-shape';
import type { WouldBe } from '@/lib/db/statements/correction';
import { loadMap } from '@/lib/db/statements/generation-map';
import { readProgress } from '@/lib/db/statements/progress';
import { type Instant, microsOf } from '@/lib/domain/instant';
import { locate } from '@/lib/domain/range-map';
import { figuresAside } from '@/lib/services/apply/build-aside';

/** What a sealed partition comes to from what a generation has reached of the log. */
export async function wouldBeOf(
  tx: Tx,
  dataset: DatasetShape,
  generation: string,
  { start, end }: { start: string; end: string },
): Promise<{ barrier: string[]; wouldBe: WouldBe }> {
  const watermark = await readProgress(tx, generation);
  const figures = await figuresAside(tx, { dataset, generation, watermark, start, end });
  const { transform } = locate(await loadMap(tx, generation), microsOf(start as Instant));
  return { barrier: watermark, wouldBe: { start, transform, figures } };
}
