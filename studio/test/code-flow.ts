import { createHash, randomBytes } from 'node:crypto';
import { createAccount } from '@renderkit/studio/operator.ts';
import { type Browser, createBrowser } from './browser.ts';
import { basic, client, type TestStudio } from './harness.ts';

/** The client of the tests. Nothing listens at its addresses: no test follows them. */
export const clientWithAddresses = {
  ...client,
  name: 'Renderkit',
  url: 'http://127.0.0.1:9/console',
  signInUrl: 'http://127.0.0.1:9/console/auth/sign-in',
  redirectUris: ['http://127.0.0.1:9/console/auth/callback'],
  logoutUris: ['http://127.0.0.1:9/console/signed-out'],
};
const [callback = ''] = clientWithAddresses.redirectUris;

export type Request = { address: string; verifier: string; state: string; nonce: string };

/** Returns an authorization request as the service makes it; `undefined` removes a parameter. */
export function authorizationRequest(
  studio: Pick<TestStudio, 'url'>,
  more: Record<string, string | undefined> = {},
): Request {
  const verifier = randomBytes(32).toString('base64url');
  const state = randomBytes(16).toString('base64url');
  const nonce = randomBytes(16).toString('base64url');
  const parameters = {
    client_id: client.id,
    response_type: 'code',
    redirect_uri: callback,
    scope: 'openid offline_access email profile',
    prompt: 'consent',
    state,
    nonce,
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...more,
  };
  const query = new URLSearchParams(
    Object.entries(parameters).filter((pair): pair is [string, string] => pair[1] !== undefined),
  );
  return { address: `${studio.url}/oidc/auth?${query.toString()}`, verifier, state, nonce };
}

export type TokenAnswer = {
  status: number;
  body: { access_token?: string; refresh_token?: string; id_token?: string; scope?: string; error?: string };
};

/** Exchanges the code in the address of the redirect for tokens, as the client does. */
export async function exchangeCode(
  studio: Pick<TestStudio, 'url'>,
  sentBack: URL | undefined,
  request: { verifier: string },
  more: Record<string, string> = {},
): Promise<TokenAnswer> {
  const response = await fetch(`${studio.url}/oidc/token`, {
    method: 'POST',
    headers: { authorization: basic() },
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      code: sentBack?.searchParams.get('code') ?? '',
      redirect_uri: callback,
      code_verifier: request.verifier,
      ...more,
    }),
  });
  return { status: response.status, body: (await response.json()) as TokenAnswer['body'] };
}

/** Returns the claims of an ID token. Does not check the signature, which the client library does. */
export function claimsOf(idToken: string | undefined): Record<string, unknown> {
  const [, payload = ''] = idToken?.split('.') ?? [];
  return JSON.parse(Buffer.from(payload, 'base64url').toString()) as Record<string, unknown>;
}

export const password = 'correct horse battery';

export type Person = { id: string; email: string };

let people = 0;

export async function newPerson(studio: TestStudio, more: { name?: string } = {}): Promise<Person> {
  const email = `somebody${++people}@example.org`;
  const { id } = await createAccount(studio.database, { email, password, ...more });
  return { id, email };
}

/** Runs the whole sign-in, from the first page to the tokens. */
export async function signInByBrowser(
  studio: TestStudio,
  { email }: Person,
  browser: Browser = createBrowser(studio.url),
): Promise<TokenAnswer & { browser: Browser; request: Request; left: URL | undefined }> {
  const request = authorizationRequest(studio);
  let page = await browser.open(request.address);
  if (page.left === undefined) page = await browser.press('Sign in', { email, password });
  if (page.left === undefined) page = await browser.press('Allow');
  const { left } = page;
  return { ...(await exchangeCode(studio, left, request)), browser, request, left };
}
