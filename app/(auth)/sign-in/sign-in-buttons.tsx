'use client';

import { useState } from 'react';
import { Button } from '@/components/ui/button';
import { Note } from '@/components/ui/note';
import { authPost } from './auth-post';

interface Persona {
  name: string;
  displayName: string;
  does: string;
}

interface Props {
  personas: readonly Persona[];
  oidc: boolean;
  /** Where to go afterwards; a path of this site. */
  target: string;
}

/** One press for each way to sign in. */
export function SignInButtons({ personas, oidc, target }: Props) {
  const [pending, setPending] = useState<string | null>(null);
  const [failure, setFailure] = useState<string | null>(null);

  async function press(key: string, action: string, fields: Record<string, string>) {
    setPending(key);
    setFailure(null);
    try {
      // a browser keeps the fragment of the link that led here, and never sends it to the server
      const callbackUrl = target.includes('#') ? target : `${target}${window.location.hash}`;
      const next = new URL(
        await authPost(action, { ...fields, callbackUrl }),
        window.location.href,
      );
      window.location.assign(next);
    } catch (error) {
      setFailure(error instanceof Error ? error.message : 'The server did not answer; try again.');
      setPending(null);
    }
  }

  return (
    <div className="stack">
      {oidc && (
        <Button
          variant="go"
          wide
          pending={pending === 'oidc'}
          onClick={() => press('oidc', 'signin/oidc', {})}
        >
          Sign in with your account
        </Button>
      )}
      {personas.map(({ name, displayName, does }) => (
        <div key={name} className="row">
          <Button
            pending={pending === name}
            onClick={() => press(name, 'callback/demo', { persona: name })}
          >
            {`Sign in as ${name}`}
          </Button>
          <span className="s">
            {displayName}: {does}
          </span>
        </div>
      ))}
      {failure !== null && (
        <Note tone="bad" live title="You are not signed in.">
          {failure}
        </Note>
      )}
    </div>
  );
}
