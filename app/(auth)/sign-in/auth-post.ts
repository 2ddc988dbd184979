/**
 * Posts to next-auth from the browser, with its token against forged forms.
 *
 * @param action below `/api/auth`, e.g. `callback/demo`
 * @returns where to go
 * @throws Error with a sentence for people
 */
export async function authPost(action: string, fields: Record<string, string>): Promise<string> {
  const { csrfToken } = (await (await fetch('/api/auth/csrf')).json()) as { csrfToken: string };
  const response = await fetch(`/api/auth/${action}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
    body: new URLSearchParams({ ...fields, csrfToken, json: 'true' }),
  });
  if (response.status === 429) throw new Error('Too many attempts; try again in a minute.');
  const { url } = (await response.json()) as { url?: string };
  if (response.status >= 400 || url === undefined) {
    throw new Error('The server did not do it; its log says why.');
  }
  return url;
}
