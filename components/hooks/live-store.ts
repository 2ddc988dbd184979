/** When the page's data was read, as text in the dataset's zone and as the instant. */
export interface AsOf {
  text: string;
  utc: string;
}

export interface LiveStatus {
  /** `live`: refreshed as it changes. `lost`: the last refresh failed, what is shown is older. */
  state: 'live' | 'lost';
  asOf?: AsOf;
}

let status: LiveStatus | null = null;
const listeners = new Set<() => void>();

/** The one live poll of the page says here how it is; the top bar shows it. */
export const liveStore = {
  get: () => status,
  set(next: LiveStatus | null) {
    if (
      next?.state === status?.state &&
      next?.asOf?.utc === status?.asOf?.utc &&
      (next === null) === (status === null)
    ) {
      return;
    }
    status = next;
    for (const listener of listeners) listener();
  },
  subscribe(listener: () => void) {
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
    };
  },
};
