import { Forbidden } from '@/lib/domain/refusal';
import { env } from '@/lib/env';

type Given = Pick<Headers, 'get'>;

/**
 * A browser says where a POST comes from. Next compares it too; here it is ours, also where there
 * is none.
 *
 * @throws Forbidden where it is another site's, or no origin at all
 */
export function requireOwnOrigin(given: Given): void {
  if (!isOwn(given, given.get('origin'))) throw foreign();
}

/**
 * For what a cookie alone opens and programs may ask for too: whatever a browser says of where the
 * call comes from, it must not be another site.
 *
 * @throws Forbidden
 */
export function refuseOtherSites(given: Given): void {
  const origin = given.get('origin');
  if (origin !== null && !isOwn(given, origin)) throw foreign();
  const site = given.get('sec-fetch-site');
  if (site === 'cross-site' || site === 'same-site') throw foreign();
}

function isOwn(given: Given, origin: string | null): boolean {
  if (origin === null || !URL.canParse(origin)) return false;
  const { AUTH_URL } = env();
  const hosts = [
    given.get('x-forwarded-host') ?? given.get('host'),
    AUTH_URL === undefined ? null : new URL(AUTH_URL).host,
  ];
  const { host, protocol } = new URL(origin);
  return /^https?:$/.test(protocol) && hosts.includes(host);
}

function foreign(): Forbidden {
  return new Forbidden('This did not come from a page of this console.');
}
