'use server';

import { refresh } from 'next/cache';
import * as z from 'zod';
import { askShadowReads } from '@/lib/services/reports';
import { action } from '@/lib/web/action';

/** Has all reports of the release's dataset read in shadow, or some; answers how many are to be. */
export const askShadow = action(
  'release.shadow',
  z.strictObject({
    release: z.string().max(200),
    reports: z.array(z.string().max(20)).max(100).optional(),
  }),
  async (ctx, input) => {
    const { asked } = await askShadowReads(ctx, input);
    refresh();
    return { asked: asked.length };
  },
);
