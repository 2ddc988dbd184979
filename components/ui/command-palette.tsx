'use client';

import { Command } from 'cmdk';
import { useRouter } from 'next/navigation';
import { Dialog } from 'radix-ui';
import {
  createContext,
  type ReactNode,
  useContext,
  useEffect,
  useMemo,
  useState,
  useSyncExternalStore,
} from 'react';
import { grouped, matching, type PaletteItem, type PaletteSearch } from './command-items';
import { Icon } from './icon';

const OpenPalette = createContext<(() => void) | null>(null);
const PAUSE_MS = 150;

/**
 * The palette (⌘K, Ctrl K): goes to a page, a release, a dataset by name. `items` are there at
 * once; `search` (a server action or any async function) adds what the server finds.
 */
export function CommandPalette({
  items,
  search,
  children,
}: {
  items: readonly PaletteItem[];
  search?: PaletteSearch;
  children: ReactNode;
}) {
  const [open, setOpen] = useState(false);
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      setOpen((shown) => !shown);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  return (
    <OpenPalette value={() => setOpen(true)}>
      {children}
      <Dialog.Root open={open} onOpenChange={setOpen}>
        <Dialog.Portal>
          <Dialog.Overlay className="scrim" />
          <Dialog.Content className="palette" aria-describedby={undefined}>
            <Dialog.Title className="sr">Find</Dialog.Title>
            <Finder items={items} search={search} close={() => setOpen(false)} />
          </Dialog.Content>
        </Dialog.Portal>
      </Dialog.Root>
    </OpenPalette>
  );
}

function Finder({
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
                  router.push(item.href);
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

const never = () => () => {};
const isMac = () => /Mac|iPhone|iPad/.test(navigator.userAgent);

/** The button in the top bar; nothing where there is no palette. On a phone only its icon. */
export function FindButton() {
  const open = useContext(OpenPalette);
  const mac = useSyncExternalStore(never, isMac, () => false);
  if (!open) return null;
  return (
    <button
      type="button"
      className="find"
      onClick={open}
      aria-label="Find"
      aria-keyshortcuts="Meta+K Control+K"
    >
      <Icon name="search" />
      <span className="find-word">Find</span> <kbd>{mac ? '⌘K' : 'Ctrl K'}</kbd>
    </button>
  );
}
