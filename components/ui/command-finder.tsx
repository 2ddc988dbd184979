'use client';

import { Command } from 'cmdk';
import { useRouter } from 'next/navigation';
import { useEffect, useMemo, useState } from 'react';
import { grouped, matching, type PaletteItem, type PaletteSearch } from './command-items';
import { Icon } from './icon';

const PAUSE_MS = 150;

/** What the palette holds: the field, and what is found. */
export function Finder({
  items,
  search,
  close,
}: {
  items: readonly PaletteItem[];
  search?: PaletteSearch;
  close: () => void;
}) {
  const router = useRouter();
  const [query, setQuery] = useState('');
  const found = useFound(query, search);
  const groups = useMemo(
    () => grouped([...matching(items, query), ...found.items]),
    [items, query, found.items],
  );
  return (
    <Command label="Find" shouldFilter={false} loop>
      <div className="palette-in">
        <Icon name="search" />
        <Command.Input
          value={query}
          onValueChange={setQuery}
          placeholder="Page, release or dataset"
          autoFocus
        />
        <kbd>esc</kbd>
      </div>
      <Command.List>
        {groups.map(([group, members]) => (
          <Command.Group key={group} heading={group}>
            {members.map((item) => (
              <Command.Item
                key={item.id}
                value={item.id}
                onSelect={() => {
                  close();
                  if (item.href === undefined) item.act();
                  else router.push(item.href);
                }}
              >
                {item.icon && <Icon name={item.icon} />}
                <span>{item.title}</span>
                {item.hint && <span className="s q push">{item.hint}</span>}
              </Command.Item>
            ))}
          </Command.Group>
        ))}
        {groups.length === 0 && (
          <p className="palette-none" role="status">
            {found.state === 'searching' && 'Searching…'}
            {found.state === 'failed' && 'The search did not answer. Type on to try again.'}
            {found.state === 'idle' && <>Nothing is called “{query}”.</>}
          </p>
        )}
      </Command.List>
    </Command>
  );
}

type Found = { state: 'idle' | 'searching' | 'failed'; items: readonly PaletteItem[] };
const NOTHING: Found = { state: 'idle', items: [] };

/** Asks after a pause in typing; an answer to an older query is dropped. */
function useFound(query: string, search: PaletteSearch | undefined): Found {
  const [found, setFound] = useState<Found>(NOTHING);
  const asked = query.trim();
  useEffect(() => {
    if (!search || asked === '') {
      setFound(NOTHING);
      return;
    }
    let current = true;
    setFound((before) => ({ state: 'searching', items: before.items }));
    const timer = setTimeout(async () => {
      try {
        const answer = await search(asked);
        if (!current) return;
        setFound(
          answer.ok ? { state: 'idle', items: answer.value } : { state: 'failed', items: [] },
        );
      } catch {
        if (current) setFound({ state: 'failed', items: [] });
      }
    }, PAUSE_MS);
    return () => {
      current = false;
      clearTimeout(timer);
    };
  }, [asked, search]);
  return found;
}
