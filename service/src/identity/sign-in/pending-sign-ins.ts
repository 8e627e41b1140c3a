import type { IncomingMessage } from 'node:http';
import { createSecretBox } from '@renderkit/server-kit/secrets.ts';
import { type Cookie, type CookieFormat, createCookie, readCookies } from '../sessions/session-cookie.ts';

/** The data of one attempt to sign in. Only the browser that began the attempt holds them. */
export type Attempt = {
  state: string;
  nonce: string;
  verifier: string;
  returnTo: string;
  /** Whether the person was asked to prove again who they are. */
  anew: boolean;
};

const lifetimeSeconds = 10 * 60;
/**
 * The most open attempts of one browser, for several tabs. More cookies would soon exceed the size limit of a request.
 */
const maxOpen = 5;
const stateShape = /^[\w-]{43}$/;
const idCharacters = 12;

export type Attempts = {
  /** Returns the Set-Cookie lines that store an attempt in a browser and delete its oldest ones beyond the fifth. */
  remember: (request: IncomingMessage, attempt: Attempt) => string[];
  /** Returns the attempt that the `state` of an answer belongs to, if this browser began it within ten minutes. */
  find: (request: IncomingMessage, state: string | undefined) => Attempt | undefined;
  /** Returns the Set-Cookie line that deletes an attempt from the browser: each attempt can be used once. */
  forget: (state: string) => string;
};

type EncryptedAttempt = Attempt & { until: number };

/**
 * Keeps each attempt in its own encrypted cookie. So several tabs can sign in at once, and a mere visit writes no row.
 * The studio limits wrong passwords: `identity/src/passwords/throttle.ts`.
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
  /** The regular expression's group is the part of the state that is in a cookie's name. */
  const anyName = new RegExp(
    `^${createCookie(cookies, publicUrl, 'sign_in_#').name.replace('#', `([\\w-]{${idCharacters}})`)}$`,
  );
  const open = (encrypted: string | undefined): EncryptedAttempt | undefined => {
    if (encrypted === undefined || encrypted === '') return undefined;
    try {
      const attempt = JSON.parse(box.decrypt(encrypted, 'cookie')) as EncryptedAttempt;
      return attempt.until > Date.now() ? attempt : undefined;
    } catch {
      // A cookie that was cut, changed, or encrypted under an earlier key counts as missing.
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
