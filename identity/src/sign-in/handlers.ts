import type Provider from 'oidc-provider';
import type { Interaction } from 'oidc-provider';
import type { IdentityStore, Person } from '../identity-store.ts';
import { Refused, pageErrors } from '../pages/page-error.ts';
import type { Page } from '../pages/page.ts';
import { type Fields, readEmail, readSignUp } from '../pages/read-fields.ts';
import type { Answer } from '../pages/send-page.ts';
import { tooMany } from '../pages/too-many.ts';
import type { Proof } from '../passwords/check-password.ts';
import type { PasswordChecks } from '../passwords/hash-limiter.ts';
import { grantAgain, makeGrant } from '../provider/grants.ts';
import { type Client, signInPath } from '../provider/provider.ts';
import { type Browser, loginOf } from '../provider/sessions.ts';
import { leaveOtherSession } from './leave-other-session.ts';
import { type Addresses, consentPage, signInPage, signUpPage } from './pages.ts';
import { signIn, type SignInOutcome } from './sign-in.ts';
import { signUp } from './sign-up.ts';

export type HandlerDependencies = {
  store: IdentityStore;
  provider: Provider;
  client: Client;
  passwords: PasswordChecks;
  /** Whether anybody may create an account. */
  signUp: 'open' | 'closed';
};

/** A browser in the middle of an authorization request. */
export type Visit = {
  interaction: Interaction;
  browser: Browser;
  fields: Fields;
  /** The network address of the browser. */
  address: string;
};

type Handler = (visit: Visit) => Promise<Answer>;

/** Creates the handler of each page and each form. */
export function createHandlers(
  dependencies: HandlerDependencies,
): Record<'show' | 'showSignIn' | 'signIn' | 'showSignUp' | 'signUp' | 'consent' | 'cancel', Handler> {
  const { store, provider, client, passwords } = dependencies;
  const signInView = (interaction: Interaction) => ({
    client,
    at: addressesOf(interaction),
    signUp: dependencies.signUp === 'open',
  });
  const signUpView = (interaction: Interaction) => {
    if (dependencies.signUp === 'closed') throw new Refused(pageErrors.nothingHere);
    return { client, at: addressesOf(interaction), scopes: asked(interaction, client).scope.split(' ') };
  };
  const showSignIn: Handler = async ({ interaction }) => ({
    page: signInPage({ ...signInView(interaction), email: interaction.params['login_hint'] }),
  });
  const showSignUp: Handler = async ({ interaction }) => {
    const email = interaction.params['login_hint'];
    return { page: signUpPage({ ...signUpView(interaction), values: { email } }) };
  };
  const wrong = ({ interaction, fields }: Visit): Answer => {
    const view = { ...signInView(interaction), email: fields.get('email') ?? '' };
    return { status: 422, page: signInPage({ ...view, problem: 'E-mail address or password is wrong.' }) };
  };

  return {
    showSignIn,
    show: async (visit) => {
      const { name } = visit.interaction.prompt;
      if (name === 'create') return showSignUp(visit);
      return name === 'login' ? showSignIn(visit) : askConsent(visit, dependencies);
    },
    signIn: async (visit) => {
      const { interaction, fields, address } = visit;
      const email = readEmail(fields);
      if (email === undefined) return wrong(visit);
      const password = fields.get('password') ?? '';
      return goOn(await signIn({ email, password, address }, { store, passwords }), {
        throttled: (problem) =>
          signInPage({ ...signInView(interaction), email: fields.get('email'), problem }),
        wrong: () => wrong(visit),
        // If the person granted the client before, this step grants it again without asking.
        signedIn: (proof) => goOnAs(proof, visit, dependencies, grantAgain),
      });
    },
    showSignUp,
    signUp: async (visit) => {
      const { interaction, fields, address } = visit;
      const values = { email: fields.get('email'), name: fields.get('name') };
      const view = { ...signUpView(interaction), values };
      const person = readSignUp(fields);
      if ('errors' in person) return { status: 422, page: signUpPage({ ...view, errors: person.errors }) };
      return goOn(await signUp({ ...person, address }, { store, passwords }), {
        throttled: (problem) => signUpPage({ ...view, problem }),
        wrong: () => wrong(visit),
        // The form listed what the client may do, and the person has sent it.
        signedIn: (proof) => goOnAs(proof, visit, dependencies, makeGrant),
      });
    },
    consent: async (visit) => {
      if (visit.fields.get('answer') !== 'allow') return cancel(visit, provider);
      const { id: accountId } = await personAsked(visit.interaction, store);
      const grantId =
        grantAtHand(visit.interaction, accountId) ??
        (await makeGrant(provider, store, { ...asked(visit.interaction, client), accountId }));
      return { goTo: await provider.interactionResult(...visit.browser, { consent: { grantId } }) };
    },
    cancel: (visit) => cancel(visit, provider),
  };
}

/** Returns the answer to a try to sign in. */
function goOn(
  result: SignInOutcome,
  ways: {
    throttled: (problem: string) => Page;
    wrong: () => Answer;
    signedIn: (proof: Proof) => Promise<Answer>;
  },
): Promise<Answer> | Answer {
  if (result.outcome === 'signed_in') return ways.signedIn(result.proof);
  return result.outcome === 'wrong' ? ways.wrong() : tooMany(result.retryAfterSeconds, ways.throttled);
}

/** Returns the addresses of an interaction's forms. */
function addressesOf({ uid }: Interaction): Addresses {
  const here = `${signInPath}/${uid}`;
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

/** Returns the grant that this interaction made before, so that repeated visits leave only one grant. */
function grantAtHand({ result, session }: Interaction, accountId: string): string | undefined {
  if (result === undefined || 'error' in result) return undefined;
  const madeFor = result.login?.accountId ?? session?.accountId;
  return madeFor === accountId ? result.consent?.grantId : undefined;
}

/** Completes the sign-in of a person who has proved who they are. `grant` returns the grant for the client, if any. */
async function goOnAs(
  proof: Proof,
  visit: Visit,
  { store, provider, client }: HandlerDependencies,
  grant: typeof grantAgain,
): Promise<Answer> {
  const { interaction, browser } = visit;
  const { accountId } = proof;
  await leaveOtherSession(provider, interaction, browser, accountId);
  const grantId =
    grantAtHand(interaction, accountId) ??
    (await grant(provider, store, { ...asked(interaction, client), accountId }));
  return {
    goTo: await provider.interactionResult(...browser, {
      // A person who was asked to create an account may sign in to an existing one instead.
      ...(interaction.params['prompt']?.split(' ').includes('create') && { create: {} }),
      login: loginOf(proof),
      ...(grantId !== undefined && { consent: { grantId } }),
    }),
  };
}

/** Returns the person whose consent is requested. @throws Refused */
async function personAsked({ prompt, session }: Interaction, store: IdentityStore): Promise<Person> {
  const account = prompt.name === 'consent' ? await store.findPerson(session?.accountId ?? '') : undefined;
  if (account === undefined) throw new Refused(pageErrors.gone);
  return account;
}

async function askConsent(
  { interaction, browser }: Visit,
  { store, provider, client }: HandlerDependencies,
): Promise<Answer> {
  const account = await personAsked(interaction, store);
  const wanted = { ...asked(interaction, client), accountId: account.id };
  const grantId = grantAtHand(interaction, account.id) ?? (await grantAgain(provider, store, wanted));
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
