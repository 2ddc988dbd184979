'use client';

import { useRouter } from 'next/navigation';
import { createContext, type ReactNode, useCallback, useContext, useEffect, useState } from 'react';
import type { PaletteItem, PaletteSearch } from '@/components/ui/command-items';
import { CommandPalette, useOpenPalette } from '@/components/ui/command-palette';
import { KeysDialog } from './keys-dialog';
import { type Begun, type Deed, press } from './shortcuts';
import { singleKeysOn } from './single-keys';
import { walkRows } from './walk-rows';

const ListKeys = createContext<(() => void) | null>(null);

/** Opens the list of shortcuts; null outside of the console's frame. */
export const useListKeys = () => useContext(ListKeys);

/** The keyboard: the palette (⌘K), the shortcuts of single keys, and their list (`?`). */
export function Keys({
  pages,
  search,
  children,
}: {
  pages: readonly PaletteItem[];
  search?: PaletteSearch;
  children: ReactNode;
}) {
  const [listed, setListed] = useState(false);
  const list = useCallback(() => setListed(true), []);
  const help: PaletteItem = {
    id: 'keys',
    title: 'Keyboard shortcuts',
    icon: 'keys',
    group: 'Help',
    act: list,
  };
  return (
    <ListKeys value={list}>
      <CommandPalette items={[...pages, help]} search={search}>
        {children}
        <SingleKeys list={list} />
        <KeysDialog
          open={listed}
          onOpenChange={setListed}
          pages={pages.flatMap(({ href }) => href ?? [])}
        />
      </CommandPalette>
    </ListKeys>
  );
}

/** Listens for single keys, and hears none that is meant for a field or for what floats. */
function SingleKeys({ list }: { list: () => void }) {
  const router = useRouter();
  const find = useOpenPalette();
  useEffect(() => {
    let begun: Begun | null = null;
    const act = (deed: Deed) => {
      if (deed.kind === 'go') router.push(deed.href);
      else if (deed.kind === 'find') find?.();
      else if (deed.kind === 'list') list();
      else walkRows(deed.kind === 'next-row' ? 1 : -1);
    };
    const pressed = (event: KeyboardEvent) => {
      // Shift on its own is on the way to "?".
      if (event.key === 'Shift') return;
      if (!singleKeysOn() || isMeantForOthers(event)) {
        begun = null;
        return;
      }
      const result = press(event.key, event.timeStamp, begun);
      begun = result.begun;
      if (!result.deed) return;
      event.preventDefault();
      act(result.deed);
    };
    addEventListener('keydown', pressed);
    return () => removeEventListener('keydown', pressed);
  }, [router, find, list]);
  return null;
}

const FLOATS = '[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]';
/** Fields in which a letter is no text. */
const UNTYPED = new Set(['button', 'checkbox', 'file', 'image', 'radio', 'reset', 'submit']);

function isMeantForOthers(event: KeyboardEvent): boolean {
  if (event.defaultPrevented || event.isComposing) return true;
  if (event.ctrlKey || event.metaKey || event.altKey) return true;
  const at = event.target;
  if (at instanceof HTMLInputElement && !UNTYPED.has(at.type)) return true;
  if (at instanceof HTMLTextAreaElement || at instanceof HTMLSelectElement) return true;
  if (at instanceof HTMLElement && at.isContentEditable) return true;
  return document.querySelector(FLOATS) !== null;
}
