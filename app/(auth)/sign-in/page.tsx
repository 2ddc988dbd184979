import type { Metadata } from 'next';
import { redirect } from 'next/navigation';
import { Note } from '@/components/ui/note';
import { Panel } from '@/components/ui/panel';
import { safePath } from '@/lib/web/safe-path';
import { currentActor } from '@/lib/web/session';
import { signInChoices } from '@/lib/web/sign-in-choices';
import { SignInButtons } from './sign-in-buttons';

export const metadata: Metadata = { title: 'Sign in' };

type Search = Promise<Record<string, string | string[] | undefined>>;

export default async function SignInPage({ searchParams }: { searchParams: Search }) {
  const search = await searchParams;
  const one = (name: string) => [search[name]].flat()[0];
  const target = safePath(one('callbackUrl'));
  if (await currentActor()) redirect(target);
  const { personas, oidc } = signInChoices();
  const failure = one('error');
  return (
    <main className="alone">
      <h1>Sign in to Interlock</h1>
      {failure !== undefined && (
        <Note tone="bad" live title="You are not signed in.">
          {sentences[failure] ?? 'The attempt failed; the log of the server says why.'}
        </Note>
      )}
      {personas.length + (oidc ? 1 : 0) === 0 ? (
        <Note tone="wait" title="Nobody can sign in yet.">
          No identity provider is set. Whoever runs this installation sets OIDC_ISSUER,
          OIDC_CLIENT_ID and OIDC_CLIENT_SECRET, and starts it again.
        </Note>
      ) : (
        <Panel
          title={oidc ? 'With your account' : 'As one of the demo’s people'}
          note={personas.length > 0 ? 'Each may do another part of a release.' : undefined}
        >
          <SignInButtons personas={personas} oidc={oidc} target={target} />
        </Panel>
      )}
    </main>
  );
}

/** next-auth's error codes in words; its own messages are for developers. */
const sentences: Record<string, string> = {
  AccessDenied: 'The identity provider did not let you in, or vouches for no email address.',
  CredentialsSignin: 'There is no such person in this demo.',
  OAuthSignin: 'The identity provider could not be reached.',
  OAuthCallback: 'The identity provider’s answer could not be used; begin again.',
  Callback: 'The identity provider’s answer could not be used; begin again.',
  SessionRequired: 'Your session has ended.',
};
