import { median } from '../measure';

const rounds = 7;

/**
 * A page as its reader's browser asks for it, from the request to the last byte: what takes the
 * skeleton's place is in it. Median, best and worst after one request that only warms up;
 * decompressed bytes.
 *
 * @throws Error where the answer is not the page
 */
export async function measureDocument(
  url: string,
  cookie: string,
): Promise<{ millis: number; best: number; worst: number; bytes: number }> {
  let bytes = await read(url, cookie);
  const times: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const began = performance.now();
    bytes = await read(url, cookie);
    times.push(performance.now() - began);
  }
  return {
    millis: median(times),
    best: Math.min(...times),
    worst: Math.max(...times),
    bytes,
  };
}

async function read(url: string, cookie: string): Promise<number> {
  const response = await fetch(url, { headers: { cookie }, redirect: 'manual' });
  const text = await response.text();
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}`);
  // how React marks a part that failed after the answer had begun
  if (text.includes('<template data-dgst')) throw new Error(`${url} shows a failure`);
  return Buffer.byteLength(text);
}
