'use client';

import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { type AsOf, liveStore } from './live-store';

/** Thrown by the poll on an answer that is not 2xx; carries what problem+json said. */
export class ReadFailed extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    title: string,
  ) {
    super(title);
    this.name = 'ReadFailed';
  }
}

/**
 * The page's one poll: reads `url` every `everyMs` (2 s), pauses while the tab is hidden, reads at
 * once when it comes back, and keeps the previous data while it reads, so that nothing flickers.
 * Equal parts of the answer keep their identity, so what did not change does not render again.
 *
 * @param initial what the server rendered the page with
 * @param everyMs `false` stops it, for a page in a state that no longer changes
 * @param asOf when the data was read; shown in the top bar
 * @returns the data, whether the last refresh failed, and `refresh` for after a move
 */
export function useLive<T>({
  url,
  initial,
  everyMs = 2000,
  asOf,
}: {
  url: string;
  initial: T;
  everyMs?: number | false;
  asOf?: (data: T) => AsOf;
}): { data: T; lost: ReadFailed | Error | null; refresh: () => Promise<void> } {
  const query = useQuery<T, Error>({
    queryKey: ['live', url],
    queryFn: ({ signal }) => readJson<T>(url, signal),
    initialData: initial,
    placeholderData: keepPreviousData,
    // each refused try is a row of the audit: a tab that is left open must not go on
    refetchInterval: ({ state }) => (isRefused(state.error) ? false : everyMs),
    refetchIntervalInBackground: false,
    refetchOnWindowFocus: true,
    retry: false,
    // A page that is left and reached again starts from what the server renders, not from the past.
    gcTime: 0,
  });
  // There is always data: what the page was rendered with, then what was read last.
  const { data = initial, error, refetch } = query;
  const read = asOf?.(data);

  useEffect(() => {
    if (everyMs === false) liveStore.set(null);
    else liveStore.set({ state: error ? 'lost' : 'live', asOf: read });
  });
  useEffect(() => () => liveStore.set(null), []);

  // A server action renders the page anew: what came with that is newer than the last poll.
  const client = useQueryClient();
  const rendered = useRef(initial);
  useEffect(() => {
    const before = rendered.current;
    rendered.current = initial;
    // A literal written in the caller is new at every render and still says the same.
    if (before === initial || JSON.stringify(before) === JSON.stringify(initial)) return;
    client.setQueryData(['live', url], initial);
  }, [client, url, initial]);

  return {
    data,
    lost: error,
    refresh: async () => {
      await refetch();
    },
  };
}

function isRefused(error: Error | null): boolean {
  return error instanceof ReadFailed && (error.status === 401 || error.status === 403);
}

async function readJson<T>(url: string, signal: AbortSignal): Promise<T> {
  const response = await fetch(url, { signal, headers: { accept: 'application/json' } });
  if (response.ok) return (await response.json()) as T;
  const problem = (await response.json().catch(() => ({}))) as { code?: string; title?: string };
  throw new ReadFailed(
    response.status,
    problem.code ?? `HTTP_${response.status}`,
    problem.title ?? 'The page could not be refreshed.',
  );
}
