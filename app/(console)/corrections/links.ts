/** The page of one sealed partition. */
export const partitionHref = (dataset: string, start: string) =>
  `/corrections/${encodeURIComponent(dataset)}/${encodeURIComponent(start)}`;

/** Where the proof lies that a release built the partition. */
export const receiptHref = (release: string, start: string) =>
  `/releases/${release}?${new URLSearchParams({ partition: start })}`;
