import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import { parse } from './check-answer.ts';
import type { Exchange } from './exchange.ts';
import { readRefusal } from './http-call.ts';
import { StudioFailure } from './studio-failure.ts';

export type Tokens = { accessToken: string; accessSeconds: number; refreshToken: string };

const timeoutMs = 4_000;
const maxBytes = 64 * 1024;
const token = Type.String({ minLength: 1, maxLength: 8_192, pattern: '^[\\x21-\\x7e]+$' });
const TokenAnswer = Compile(
  Type.Object({
    access_token: token,
    token_type: Type.String({ pattern: '^[Bb]earer$' }),
    expires_in: Type.Number({ minimum: 1, maximum: 365 * 24 * 3600 }),
    refresh_token: Type.Optional(token),
  }),
);
const ErrorAnswer = Compile(Type.Object({ error: Type.String({ maxLength: 200 }) }));

/** Returns HTTP Basic credentials of an OAuth client. Id and secret are form-encoded first (RFC 6749 §2.3.1). */
export function basicAuthorization(client: { id: string; secret: string }): string {
  const encode = (text: string) => new URLSearchParams([['', text]]).toString().slice(1);
  return `Basic ${Buffer.from(`${encode(client.id)}:${encode(client.secret)}`).toString('base64')}`;
}

/**
 * Exchanges a refresh token for new tokens (RFC 6749 §6). Uses plain HTTP through the studio's exchange instead of
 * openid-client: the answer has four fields and no identity, and the same size limits and timeouts apply as for every
 * other call.
 * @throws StudioFailure; `connection_expired` when the studio reports that the grant has ended
 */
export async function refreshGrant(
  exchange: Exchange,
  options: { path: string; authorization: string; refreshToken: string },
): Promise<Tokens> {
  const reply = await exchange.send({
    method: 'POST',
    path: options.path,
    headers: {
      authorization: options.authorization,
      'content-type': 'application/x-www-form-urlencoded',
      accept: 'application/json',
    },
    body: new URLSearchParams({
      grant_type: 'refresh_token',
      refresh_token: options.refreshToken,
    }).toString(),
    timeoutMs,
    maxBytes,
    // The studio accepts a rotated token again for a minute, while the new tokens are not used.
    repeatable: true,
  });
  if (reply.status === 200) return readTokens(parse('refresh', reply.body), options.refreshToken);
  if (reply.status === 400) {
    const body = parse('refresh', reply.body);
    if (ErrorAnswer.Check(body) && body.error === 'invalid_grant')
      throw new StudioFailure('connection_expired', 'the studio takes the refresh token no longer', {
        maybeSent: false,
      });
  }
  throw readRefusal('refresh', reply);
}

function readTokens(answer: unknown, refreshToken: string): Tokens {
  if (!TokenAnswer.Check(answer))
    throw new StudioFailure('nonsense', 'the token endpoint answered no tokens', { maybeSent: true });
  return {
    accessToken: answer.access_token,
    accessSeconds: Math.floor(answer.expires_in),
    // A studio that does not rotate sends no refresh token: the old one stays valid.
    refreshToken: answer.refresh_token ?? refreshToken,
  };
}
