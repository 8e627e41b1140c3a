import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Database } from '@renderkit/server-kit/database.ts';
import type Provider from 'oidc-provider';
import type { Interaction } from 'oidc-provider';
import type { PasswordChecks } from '../accounts/password-checks.ts';
import { type AccountFacts, readAccountFacts } from '../sign-in/authenticate.ts';
import { grantAgain, makeGrant } from '../sign-in/grants.ts';
import type { Page } from '../sign-in/page.ts';
import { type Client, interactionPath } from '../sign-in/provider.ts';
import type { Answer } from '../sign-in/send-page.ts';
import { Refused, troubles } from '../sign-in/trouble.ts';
import { leaveOtherSession } from './leave-other-session.ts';
import { type Addresses, consentPage, signInPage, signUpPage } from './pages.ts';
import { type Fields, readEmail, readSignUp } from './read-fields.ts';
import { signIn } from './sign-in.ts';
import { signUp } from './sign-up.ts';

export type HandlerDependencies = {
  database: Database;
  provider: Provider;
  client: Client;
  passwords: PasswordChecks;
  /** Whether anybody may make an account. */
  signUp: 'open' | 'closed';
};

/** A browser in the middle of an authorization request. */
export type Visit = {
  interaction: Interaction;
  browser: readonly [IncomingMessage, ServerResponse];
  fields: Fields;
  /** Where it calls from. */
  address: string;
};

type Handler = (visit: Visit) => Promise<Answer>;

/** What each page and each form does. */
export function createHandlers(
  dependencies: HandlerDependencies,
): Record<'show' | 'showSignIn' | 'signIn' | 'showSignUp' | 'signUp' | 'consent' | 'cancel', Handler> {
  const { database, provider, client, passwords } = dependencies;
  const showSignIn: Handler = async ({ interaction }) => ({
    page: signInPage({ ...signInView(interaction), email: interaction.params['login_hint'] }),
  });
  const signInView = (interaction: Interaction) => ({
    client,
    at: addressesOf(interaction),
    signUp: dependencies.signUp === 'open',
  });
  const mayGrow = () => {
    if (dependencies.signUp === 'closed') throw new Refused(troubles.nothingHere);
  };

  return {
    showSignIn,
    show: async (visit) =>
      visit.interaction.prompt.name === 'login' ? showSignIn(visit) : askConsent(visit, dependencies),
    signIn: async (visit) => {
      const { interaction, fields, address } = visit;
      const email = readEmail(fields);
      const password = fields.get('password') ?? '';
      const view = { ...signInView(interaction), email: fields.get('email') ?? '' };
      const wrong = {
        status: 422,
        page: signInPage({ ...view, problem: 'E-mail address or password is wrong.' }),
      };
      if (email === undefined) return wrong;
      const judged = await signIn({ email, password, address }, { database, passwords });
      if (judged.outcome === 'throttled')
        return tooMany(judged.retryAfterSeconds, (problem) => signInPage({ ...view, problem }));
      if (judged.outcome === 'wrong') return wrong;
      return goOnAs(judged.accountId, visit, dependencies);
    },
    showSignUp: async ({ interaction }) => {
      mayGrow();
      return { page: signUpPage({ at: addressesOf(interaction) }) };
    },
    signUp: async ({ interaction, fields, address }) => {
      mayGrow();
      const person = readSignUp(fields);
      const view = {
        at: addressesOf(interaction),
        values: { email: fields.get('email'), name: fields.get('name') },
      };
      if ('errors' in person) return { status: 422, page: signUpPage({ ...view, errors: person.errors }) };
      const done = await signUp({ ...person, address }, { database, passwords });
      if (done.outcome === 'throttled')
        return tooMany(done.retryAfterSeconds, (problem) => signUpPage({ ...view, problem }));
      return { page: signInPage({ ...signInView(interaction), email: person.email, note: nowThere }) };
    },
    consent: async (visit) => {
      if (visit.fields.get('answer') !== 'allow') return cancel(visit, provider);
      const { id: accountId } = await personAsked(visit.interaction, database);
      const grantId =
        grantAtHand(visit.interaction, accountId) ??
        (await makeGrant(provider, database, { ...asked(visit.interaction, client), accountId }));
      return { goTo: await provider.interactionResult(...visit.browser, { consent: { grantId } }) };
    },
    cancel: (visit) => cancel(visit, provider),
  };
}

const nowThere =
  'There is an account with this address now. If there was one before, it is as it was, with the password it had. Sign in with yours.';

/** Where an interaction's forms go. */
function addressesOf({ uid }: Interaction): Addresses {
  const here = `${interactionPath}/${uid}`;
  return {
    signIn: here,
    signUp: `${here}/sign-up`,
    other: `${here}/other`,
    consent: `${here}/consent`,
    cancel: `${here}/cancel`,
  };
}

function asked({ params }: Interaction, client: Client) {
  return { clientId: client.id, scope: params['scope'] ?? '' };
}

/** The grant that was made in this visit before: who comes again and again leaves no more than one behind. */
function grantAtHand({ result, session }: Interaction, accountId: string): string | undefined {
  if (result === undefined || 'error' in result) return undefined;
  const madeFor = result.login?.accountId ?? session?.accountId;
  return madeFor === accountId ? result.consent?.grantId : undefined;
}

/** Somebody is who they say; where they let the client act for them before, that is settled in the same step. */
async function goOnAs(
  accountId: string,
  visit: Visit,
  { database, provider, client }: HandlerDependencies,
): Promise<Answer> {
  await leaveOtherSession(provider, visit.interaction, visit.browser, accountId);
  const grantId =
    grantAtHand(visit.interaction, accountId) ??
    (await grantAgain(provider, database, { ...asked(visit.interaction, client), accountId }));
  return {
    goTo: await provider.interactionResult(...visit.browser, {
      login: { accountId, amr: ['pwd'] },
      ...(grantId !== undefined && { consent: { grantId } }),
    }),
  };
}

/** Whose consent is asked for. @throws Refused */
async function personAsked({ prompt, session }: Interaction, database: Database): Promise<AccountFacts> {
  const account =
    prompt.name === 'consent' ? await readAccountFacts(database, session?.accountId ?? '') : undefined;
  if (account === undefined) throw new Refused(troubles.gone);
  return account;
}

async function askConsent(
  { interaction, browser }: Visit,
  { database, provider, client }: HandlerDependencies,
): Promise<Answer> {
  const account = await personAsked(interaction, database);
  const wanted = { ...asked(interaction, client), accountId: account.id };
  const grantId = grantAtHand(interaction, account.id) ?? (await grantAgain(provider, database, wanted));
  if (grantId !== undefined)
    return { goTo: await provider.interactionResult(...browser, { consent: { grantId } }) };
  const scopes = wanted.scope.split(' ');
  return { page: consentPage({ client, at: addressesOf(interaction), ...account, scopes }) };
}

async function cancel({ browser }: Visit, provider: Provider): Promise<Answer> {
  return {
    goTo: await provider.interactionResult(...browser, {
      error: 'access_denied',
      error_description: 'the person declined',
    }),
  };
}

function tooMany(retryAfterSeconds: number, page: (problem: string) => Page): Answer {
  const minutes = Math.ceil(retryAfterSeconds / 60);
  const problem = `Too many tries. Try again in ${minutes === 1 ? 'a minute' : `${minutes} minutes`}.`;
  return { status: 429, retryAfterSeconds, page: page(problem) };
}
