import { consoleAddresses, type SignInChoices } from '@renderkit/contract/console/addresses.ts';
import type { SignInFailure } from '@renderkit/contract/console/sign-in-failures.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Logger } from '@renderkit/server-kit/process/logger.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { createOwnAddress, pathPrefixOf } from '../../own-address.ts';
import { unknownRoute } from '../../problems/unknown-route.ts';
import { lifetimeDays } from '../sessions/open-session.ts';
import type { Cookie } from '../sessions/session-cookie.ts';
import { createAttempts } from './pending-sign-ins.ts';
import { beginSignIn } from './begin-sign-in.ts';
import { describe, failureOf } from './failure.ts';
import { finishSignIn } from './finish-sign-in.ts';
import { offersSignUp, type Providers } from './provider.ts';
import { returnTo } from './return-to.ts';

/** The most answers of the studio that are handled at the same time: each costs the studio a few calls. */
const maxUnderWay = 20;
const maxQueryCharacters = 8_000;
// The longest e-mail address that SMTP can carry.
const maxHintCharacters = 254;

const headers = { 'cache-control': 'no-store', 'referrer-policy': 'no-referrer' };

export type SignInOptions = {
  providers: Providers;
  database: Database;
  log: Logger;
  /** The cookie of sessions. */
  cookie: Cookie;
  publicUrl: string;
  secretKey: Buffer;
};

/**
 * Adds the two addresses between which a browser goes to the studio and comes back. Both only redirect: to the studio,
 * into the console, or to the page that shows why signing in failed.
 */
export function addSignInRoutes(app: FastifyInstance, options: SignInOptions): void {
  const { providers, log, publicUrl, cookie } = options;
  const attempts = createAttempts({ ...options, cookies: app });
  const ownAddress = createOwnAddress(publicUrl);
  const prefix = pathPrefixOf(publicUrl);
  addChoicesRoute(app, providers);
  refuseHead(app);
  /** Running sign-ins by their state. A browser that repeats the request meanwhile gets the same answer. */
  const underWay = new Map<string, ReturnType<typeof finishSignIn>>();

  const fail = async (request: FastifyRequest, reply: FastifyReply, to: string, error: unknown) => {
    const reason = await failureOf(error);
    const fields = { request_id: request.id, reason, error: await describe(error) };
    if (reason === 'service_failed') log.error({ ...fields, err: error }, 'signing in failed');
    else log.warn(fields, 'signing in failed');
    return redirectTo(reply, prefix + failurePage(reason, to));
  };

  app.get(consoleAddresses.signIn, async (request, reply) => {
    const address = ownAddress(request);
    if (address !== undefined) return redirectTo(reply, address);
    const query = queryOf(request);
    const to = returnTo(query.get('return_to') ?? undefined);
    let begun: Awaited<ReturnType<typeof beginSignIn>>;
    try {
      begun = await beginSignIn(providers, {
        publicUrl,
        returnTo: to,
        loginHint: loginHint(query.get('login_hint')),
        create: query.get('prompt') === 'create',
        anew: query.get('prompt') === 'login',
      });
    } catch (error) {
      return await fail(request, reply, to, error);
    }
    reply.header('set-cookie', attempts.remember(request.raw, begun.attempt));
    return redirectTo(reply, begun.address);
  });

  app.get(consoleAddresses.callback, async (request, reply) => {
    const query = queryOf(request);
    const states = query.getAll('state');
    const attempt = attempts.find(request.raw, states.length === 1 ? states[0] : undefined);
    if (attempt === undefined)
      return redirectTo(reply, prefix + failurePage('attempt_unknown', consoleAddresses.home));
    // Whatever the outcome is: each attempt can be used only once.
    const cookies = [attempts.forget(attempt.state)];
    reply.header('set-cookie', cookies);
    const { returnTo: to } = attempt;
    if (underWay.size >= maxUnderWay && !underWay.has(attempt.state))
      return redirectTo(reply, prefix + failurePage('studio_unavailable', to));
    const finishing =
      underWay.get(attempt.state) ??
      finishSignIn(options, {
        query: query.toString(),
        attempt,
        browser: {
          userAgent: request.headers['user-agent'],
          address: request.ip,
          token: cookie.read(request.raw),
        },
      });
    underWay.set(attempt.state, finishing);
    let token: string;
    try {
      ({ token } = await finishing);
    } catch (error) {
      return await fail(request, reply, to, error);
    } finally {
      underWay.delete(attempt.state);
    }
    reply.header('set-cookie', cookie.write(token, lifetimeDays * 86_400));
    return redirectTo(reply, prefix + to);
  });
}

/** Refuses HEAD, because both addresses do something, which a client does not expect of HEAD. */
function refuseHead(app: FastifyInstance): void {
  for (const address of [consoleAddresses.signIn, consoleAddresses.callback])
    app.head(address, (request) => {
      throw unknownRoute(request);
    });
}

/**
 * Adds the route that returns what a person who is not signed in may do. The page calls it separately, because the
 * studio may be slow to answer.
 */
function addChoicesRoute(app: FastifyInstance, providers: Providers): void {
  app.get(consoleAddresses.signInChoices, async (_request, reply) => {
    const signUp = await providers.get().then(
      ({ configuration }) => offersSignUp(configuration),
      // Signing in will show what is wrong.
      () => false,
    );
    const choices: SignInChoices = { object: 'sign_in_choices', sign_up: signUp };
    return reply.headers(headers).type('application/json; charset=utf-8').send(JSON.stringify(choices));
  });
}

/** Anybody can write a link to our sign-in, so a hint that cannot be an address is not passed on. */
function loginHint(asked: string | null): string | undefined {
  return asked !== null && asked.length <= maxHintCharacters && !/[\p{Cc}\s]/u.test(asked) && asked !== ''
    ? asked
    : undefined;
}

function redirectTo(reply: FastifyReply, address: string): FastifyReply {
  return reply.headers(headers).redirect(address, 303);
}

function failurePage(reason: SignInFailure, to: string): string {
  return `${consoleAddresses.signInFailed}?${new URLSearchParams({ reason, return_to: to }).toString()}`;
}

/** Parses the query, which the server leaves unparsed. */
function queryOf(request: FastifyRequest): URLSearchParams {
  const text = request.query as string | undefined;
  return new URLSearchParams((text ?? '').slice(0, maxQueryCharacters));
}
