'use server';

import * as z from 'zod';
import { RELEASE_LOOKS } from '@/components/release/states';
import type { PaletteItem } from '@/components/ui/command-items';
import { findByName } from '@/lib/queries/find';
import { action } from '@/lib/web/action';

const search = action('release.read', z.string().max(200), async (ctx, text) =>
  (await findByName(ctx.db, text)).map(
    ({ kind, name, hint, state }): PaletteItem => ({
      id: `${kind} ${name}`,
      title: name,
      hint: state === null ? hint : `${hint} · ${RELEASE_LOOKS[state].label}`,
      href: kind === 'release' ? `/releases/${name}` : `/datasets/${name}`,
      icon: kind === 'release' ? 'branch' : 'db',
      group: kind === 'release' ? 'Releases' : 'Datasets',
    }),
  ),
);

/** What the palette finds by name. */
export async function find(text: string) {
  return search(text);
}
