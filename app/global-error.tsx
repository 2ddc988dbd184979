'use client';

import { Failure } from '@/components/ui/failure';
import { IconSprite } from '@/components/ui/icon';
import './globals.css';

/** The frame itself failed: it brings its own document. */
export default function GlobalError({ error, retry }: { error: unknown; retry: () => void }) {
  return (
    <html lang="en-GB">
      <body>
        <title>Failed · Interlock</title>
        <IconSprite />
        <main className="alone">
          <Failure error={error} retry={retry} />
        </main>
      </body>
    </html>
  );
}
