import type { IconName } from './icon';

/** Finds things on the server by a part of their name. */
export type PaletteSearch = (
  query: string,
) => Promise<{ ok: true; value: readonly PaletteItem[] } | { ok: false }>;

/** One thing that can be gone to, or done. */
export type PaletteItem = {
  id: string;
  title: string;
  /** A second line or word: "order_tax · Reconciled". */
  hint?: string;
  icon?: IconName;
  /** Heading under which it stands: "Releases", "Pages". */
  group: string;
} & ({ href: string; act?: undefined } | { href?: undefined; act: () => void });

/** Items whose title or hint holds every word of the query, best first: those that begin with it. */
export function matching(items: readonly PaletteItem[], query: string): PaletteItem[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return [...items];
  const whole = words.join(' ');
  return items
    .filter((item) => {
      const text = `${item.title} ${item.hint ?? ''}`.toLowerCase();
      return words.every((word) => text.includes(word));
    })
    .sort((a, b) => rank(b, whole) - rank(a, whole));
}

function rank(item: PaletteItem, query: string): number {
  const title = item.title.toLowerCase();
  if (title === query) return 3;
  if (title.startsWith(query)) return 2;
  return title.includes(query) ? 1 : 0;
}

/** Groups in order of appearance; the same thing (by id) stands only once. */
export function grouped(items: readonly PaletteItem[]): [group: string, items: PaletteItem[]][] {
  const groups = new Map<string, Map<string, PaletteItem>>();
  const seen = new Set<string>();
  for (const item of items) {
    if (seen.has(item.id)) continue;
    seen.add(item.id);
    const group = groups.get(item.group) ?? new Map<string, PaletteItem>();
    group.set(item.id, item);
    groups.set(item.group, group);
  }
  return [...groups].map(([group, members]) => [group, [...members.values()]]);
}
