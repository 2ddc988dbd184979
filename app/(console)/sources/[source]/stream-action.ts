'use server';

import { revalidatePath } from 'next/cache';
import * as z from 'zod';
import { switchStream } from '@/lib/services/demo';
import { action } from '@/lib/web/action';

const switched = action('demo.stream', z.strictObject({ on: z.boolean() }), async (ctx, input) => {
  await switchStream(ctx, input);
  revalidatePath('/sources/[source]', 'page');
});

/** Switches the demo's live events on or off. */
export async function switchDemoStream(on: boolean) {
  return switched({ on });
}
