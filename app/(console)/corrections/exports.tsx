'use client';

import { type MouseEvent, useState } from 'react';
import { useOnce } from '@/components/release/use-once';
import { buttonClass } from '@/components/ui/button';
import { DigestChip } from '@/components/ui/digest-chip';
import { Icon } from '@/components/ui/icon';
import { Note } from '@/components/ui/note';

interface Taken {
  name: string;
  /** `sha256:…`, of the file's bytes, as the console gave it. */
  digest: string;
  /** What this browser made of the bytes that arrived; null where it may not compute any. */
  agrees: boolean | null;
  cut: boolean;
}

/**
 * The corrections that the filters choose as a file, with the digest of its bytes: whoever keeps the
 * file can show later that it is what was given out.
 */
export function Exports({ links }: { links: { format: 'csv' | 'json'; href: string }[] }) {
  const [taken, setTaken] = useState<Taken | null>(null);
  const [failed, setFailed] = useState(false);
  const [pending, once] = useOnce();
  // a link without a script is a plain download; with one, the digest is read and compared
  const take = (event: MouseEvent<HTMLAnchorElement>) => {
    event.preventDefault();
    const { href } = event.currentTarget;
    void once(async () => {
      setFailed(false);
      setTaken(null);
      const file = await fetched(href);
      if (file) setTaken(file);
      else setFailed(true);
    });
  };
  return (
    <div className="exports">
      <div className="row">
        {links.map(({ format, href }) => (
          <a
            key={format}
            className={buttonClass({})}
            href={href}
            download
            aria-busy={pending || undefined}
            onClick={take}
          >
            <Icon name="export" />
            Export {format.toUpperCase()}
          </a>
        ))}
      </div>
      {failed && (
        <Note tone="bad" live title="The file did not arrive.">
          Nothing was saved. Press again; if it stays so, narrow the filters.
        </Note>
      )}
      {taken && <TakenNote taken={taken} />}
    </div>
  );
}

function TakenNote({ taken: { name, digest, agrees, cut } }: { taken: Taken }) {
  return (
    <Note
      tone={agrees === false ? 'bad' : 'idle'}
      icon={agrees === false ? 'bad' : 'ok'}
      live
      title={
        agrees === false
          ? `${name} is not what the console gave out.`
          : `${name} was given to your browser.`
      }
    >
      <p>
        SHA-256 of its bytes: <DigestChip value={digest} />{' '}
        {agrees === true && 'This browser computed the same. '}
        {agrees === false && 'This browser computed another one: take it again. '}
        {agrees === null && 'This browser may not compute it on an address without https. '}
        Keep the digest apart from the file. To check the file later:{' '}
        <code className="mono">sha256sum {name}</code>
      </p>
      {cut && (
        <p>There are more than 100,000 corrections: the newest are in it. Narrow the filters.</p>
      )}
    </Note>
  );
}

async function fetched(href: string): Promise<Taken | null> {
  try {
    const response = await fetch(href);
    const digest = hexOf(response.headers.get('content-digest'));
    if (!response.ok || digest === null) return null;
    const bytes = await response.arrayBuffer();
    const disposition = response.headers.get('content-disposition') ?? '';
    const name = /filename="([^"]+)"/.exec(disposition)?.[1] ?? 'corrections';
    save(new Blob([bytes], { type: response.headers.get('content-type') ?? '' }), name);
    return {
      name,
      digest,
      agrees: await agreement(bytes, digest),
      cut: response.headers.get('x-interlock-cut') === 'true',
    };
  } catch {
    return null;
  }
}

/** `sha256:…` of a `Content-Digest` (RFC 9530). */
function hexOf(header: string | null): string | null {
  const base64 = /sha-256=:([^:]+):/.exec(header ?? '')?.[1];
  if (base64 === undefined) return null;
  const hex = Array.from(atob(base64), (char) => char.charCodeAt(0).toString(16).padStart(2, '0'));
  return `sha256:${hex.join('')}`;
}

async function agreement(bytes: ArrayBuffer, digest: string): Promise<boolean | null> {
  // there on https and localhost only
  if (!globalThis.crypto?.subtle) return null;
  const made = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  const hex = Array.from(made, (byte) => byte.toString(16).padStart(2, '0')).join('');
  return `sha256:${hex}` === digest;
}

function save(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  URL.revokeObjectURL(url);
}
