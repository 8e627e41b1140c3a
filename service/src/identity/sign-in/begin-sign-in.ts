import { consoleAddresses } from '@renderkit/contract/console/addresses.ts';
import { freshSignInSeconds } from '@renderkit/contract/studio/administration/fresh-sign-in.ts';
import type { Attempt } from './pending-sign-ins.ts';
import { offersSignUp, type Providers } from './provider.ts';

/** `offline_access` lets the service act while the person is not there. */
const scope = 'openid email profile offline_access';

/**
 * Begins to sign somebody in. Returns the address to send the browser to (OpenID Connect Core §3.1.2.1, PKCE of RFC
 * 7636), and the attempt that the answer will be checked against. The studio checks the password
 * (`identity/src/sign-in/sign-in.ts`), and `finish-sign-in.ts` checks the answer.
 * @throws StudioFailure or an error of openid-client
 */
export async function beginSignIn(
  providers: Providers,
  options: {
    publicUrl: string;
    returnTo: string;
    /** Who is expected to sign in. The studio fills its form with it. */
    loginHint: string | undefined;
    /** Whether to make an account instead of signing in, if the studio offers this. */
    create: boolean;
    /** The person must prove again who they are, even if the studio already knows them. */
    anew: boolean;
  },
): Promise<{ address: string; attempt: Attempt }> {
  const { configuration } = await providers.get();
  const client = await import('openid-client');
  const create = options.create && offersSignUp(configuration);
  const attempt: Attempt = {
    state: client.randomState(),
    nonce: client.randomNonce(),
    verifier: client.randomPKCECodeVerifier(),
    returnTo: options.returnTo,
    anew: options.anew,
  };
  const address = client.buildAuthorizationUrl(configuration, {
    redirect_uri: options.publicUrl + consoleAddresses.callback,
    scope,
    response_type: 'code',
    // OpenID Connect Core §11: without `consent` the provider ignores offline_access.
    prompt: create ? 'create consent' : options.anew ? 'login consent' : 'consent',
    // OpenID Connect Core §3.1.2.1: with `max_age` the answer includes when the person proved who they are.
    ...(options.anew && { max_age: String(freshSignInSeconds) }),
    ...(options.loginHint !== undefined && { login_hint: options.loginHint }),
    state: attempt.state,
    nonce: attempt.nonce,
    code_challenge: await client.calculatePKCECodeChallenge(attempt.verifier),
    code_challenge_method: 'S256',
  });
  return { address: providers.forBrowsers(address), attempt };
}
