import type { IncomingMessage } from 'node:http';
import { createSecretBox } from '@renderkit/server-kit/secrets.ts';
import { type Cookie, type CookieFormat, createCookie, readCookies } from '../sessions/session-cookie.ts';

/** What belongs to one try at signing in, known to the browser that began it and to nobody else. */
export type Attempt = {
  state: string;
  nonce: string;
  verifier: string;
  returnTo: string;
  /** The person was asked to prove anew who they are. */
  anew: boolean;
};

const lifetimeSeconds = 10 * 60;
/** Tries that one browser may have open, in as many tabs; cookies of more would soon be more than a request may hold. */
const maxOpen = 5;
const stateShape = /^[\w-]{43}$/;
const idCharacters = 12;

export type Attempts = {
  /** The Set-Cookie lines that make a browser remember a try, and forget its oldest beyond the fifth. */
  remember: (request: IncomingMessage, attempt: Attempt) => string[];
  /** The try that an answer's `state` belongs to, if this browser began it within ten minutes. */
  find: (request: IncomingMessage, state: string | undefined) => Attempt | undefined;
  /** The Set-Cookie line that makes a browser forget it: it serves once. */
  forget: (state: string) => string;
};

type EncryptedAttempt = Attempt & { until: number };

/**
 * Tries lie in encrypted cookies of their own, one each, so that several tabs can sign in at once and no row is written
 * for whoever only asks.
 */
export function createAttempts(options: {
  cookies: CookieFormat;
  publicUrl: string;
  secretKey: Buffer;
}): Attempts {
  const { cookies, publicUrl } = options;
  const box = createSecretBox(options.secretKey, 'sign-in attempt');
  const cookieOf = (state: string): Cookie =>
    createCookie(cookies, publicUrl, `sign_in_${state.slice(0, idCharacters)}`);
  /** Its group is as much of the state as stands in a cookie's name. */
  const anyName = new RegExp(
    `^${createCookie(cookies, publicUrl, 'sign_in_#').name.replace('#', `([\\w-]{${idCharacters}})`)}$`,
  );
  const open = (encrypted: string | undefined): EncryptedAttempt | undefined => {
    if (encrypted === undefined || encrypted === '') return undefined;
    try {
      const attempt = JSON.parse(box.decrypt(encrypted, 'cookie')) as EncryptedAttempt;
      return attempt.until > Date.now() ? attempt : undefined;
    } catch {
      // Cut, changed, or encrypted under an earlier key: as good as none.
      return undefined;
    }
  };

  return {
    remember: (request, attempt) => {
      const held = Object.entries(readCookies(cookies, request))
        .flatMap(([name, encrypted]) => {
          const state = anyName.exec(name)?.[1];
          return state === undefined ? [] : [{ state, until: open(encrypted)?.until ?? 0 }];
        })
        .sort((a, b) => b.until - a.until);
      const surplus = held.filter(({ until }, i) => until === 0 || i >= maxOpen - 1);
      const encrypted = box.encrypt(
        JSON.stringify({ ...attempt, until: Date.now() + lifetimeSeconds * 1000 } satisfies EncryptedAttempt),
        'cookie',
      );
      return [
        ...surplus.map(({ state }) => cookieOf(state).clear()),
        cookieOf(attempt.state).write(encrypted, lifetimeSeconds),
      ];
    },
    find: (request, state) => {
      if (state === undefined || !stateShape.test(state)) return undefined;
      const attempt = open(cookieOf(state).read(request));
      return attempt?.state === state ? attempt : undefined;
    },
    forget: (state) => cookieOf(state).clear(),
  };
}
