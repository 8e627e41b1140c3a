import { consoleAddresses } from '@renderkit/contract/console/addresses.ts';
import { freshSignInSeconds } from '@renderkit/contract/studio/administration/fresh-sign-in.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Configuration } from 'openid-client';
import { connectAccount } from '../../studio-client/connect-account.ts';
import { StudioFailure } from '../../studio-client/studio-failure.ts';
import { openSession } from '../sessions/open-session.ts';
import type { Attempt } from './pending-sign-ins.ts';
import type { Providers } from './provider.ts';

const maxEmailCharacters = 320;
/** OpenID Connect Core §2: at most 255 ASCII characters. */
const subjectShape = /^[\x20-\x7e]{1,255}$/;

export type Browser = {
  userAgent: string | undefined;
  address: string | undefined;
  /** The session token that the browser held before. */
  token: string | undefined;
};

/**
 * Handles the studio's answer: checks it against its attempt, connects the account, and begins a session with its own
 * token, all in one transaction. API keys stay as they are.
 * @throws StudioFailure or an error of openid-client; nothing was changed then
 */
export async function finishSignIn(
  deps: { providers: Providers; database: Database; secretKey: Buffer; publicUrl: string },
  answer: { query: string; attempt: Attempt; browser: Browser },
): Promise<{ token: string }> {
  const { attempt, browser } = answer;
  const { studioId, configuration } = await deps.providers.get({ fresh: true });
  const { authorizationCodeGrant } = await import('openid-client');
  const tokens = await authorizationCodeGrant(
    configuration,
    new URL(`${deps.publicUrl}${consoleAddresses.callback}?${answer.query}`),
    {
      expectedState: attempt.state,
      expectedNonce: attempt.nonce,
      pkceCodeVerifier: attempt.verifier,
      idTokenExpected: true,
      ...(attempt.anew && { maxAge: freshSignInSeconds }),
    },
  );
  const { sub: subject, auth_time: authenticatedAt } = tokens.claims() ?? {};
  const refreshToken = tokens.refresh_token;
  if (subject === undefined || !subjectShape.test(subject) || refreshToken === undefined)
    throw new StudioFailure('nonsense', 'the studio gave no identity, or no lasting access', {
      maybeSent: true,
    });
  const email = await readEmail(configuration, tokens.access_token, subject);
  let token: string | undefined;
  await connectAccount(
    deps.database,
    deps.secretKey,
    { studioId, studioAccountId: subject, email, refreshToken },
    async (transaction, accountId) => {
      const opened = await openSession(transaction, {
        accountId,
        email,
        userAgent: browser.userAgent,
        address: browser.address,
        previousToken: browser.token,
        authenticatedAt,
      });
      token = opened.token;
    },
  );
  if (token === undefined) throw new Error('an account was connected without the session that asked for it');
  return { token };
}

/** Returns null when the studio reports no usable address. */
async function readEmail(
  configuration: Configuration,
  accessToken: string,
  subject: string,
): Promise<string | null> {
  if (configuration.serverMetadata().userinfo_endpoint === undefined) return null;
  const { fetchUserInfo } = await import('openid-client');
  const { email } = await fetchUserInfo(configuration, accessToken, subject);
  return email !== undefined && email.length <= maxEmailCharacters && !email.includes('\0') ? email : null;
}
