'use client';

import { Dialog } from 'radix-ui';
import {
  createContext,
  type ReactNode,
  Suspense,
  useCallback,
  useContext,
  useEffect,
  useState,
  useSyncExternalStore,
} from 'react';
import type { PaletteItem, PaletteSearch } from './command-items';
import { Icon } from './icon';
import { onDemand } from './on-demand';
import { useReturnFocus } from './return-focus';

const OpenPalette = createContext<(() => void) | null>(null);
const Finder = onDemand(async () => (await import('./command-finder')).Finder);

/** Opens the palette; null where there is none. */
export const useOpenPalette = () => useContext(OpenPalette);

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
  const focus = useReturnFocus();
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return;
      event.preventDefault();
      setOpen((shown) => !shown);
    };
    addEventListener('keydown', press);
    return () => removeEventListener('keydown', press);
  }, []);
  const show = useCallback(() => setOpen(true), []);
  return (
    <OpenPalette value={show}>
      {children}
      <Dialog.Root open={open} onOpenChange={setOpen}>
        <Dialog.Portal>
          <Dialog.Overlay className="scrim" />
          <Dialog.Content className="palette" aria-describedby={undefined} {...focus}>
            <Dialog.Title className="sr">Find</Dialog.Title>
            <Suspense fallback={<div className="palette-in" />}>
              <Finder items={items} search={search} close={() => setOpen(false)} />
            </Suspense>
          </Dialog.Content>
        </Dialog.Portal>
      </Dialog.Root>
    </OpenPalette>
  );
}

const never = () => () => {};
const isMac = () => /Mac|iPhone|iPad/.test(navigator.userAgent);

/** The button in the top bar; nothing where there is no palette. On a phone only its icon. */
export function FindButton() {
  const open = useOpenPalette();
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
