import type { Context } from 'oidc-provider';
import type { IdentityStore } from '../identity-store.ts';
import type { ClientFacts, Page } from '../pages/page.ts';
import { signedOutPage, signOutPage } from './sign-out-pages.ts';

export type SignOutDependencies = {
  store: IdentityStore;
  client: ClientFacts;
  send: (context: Context, page: Page) => void;
  sessionCookie: { name: string; attributes: object };
};

/**
 * Signs out at the client's request (OpenID Connect RP-Initiated Logout 1.0). This ends only the browser's session.
 * `signOut` in `service/src/console-api/sessions.ts` ends the session of the console. Grants stay valid, so that keys
 * work and queued renders continue.
 */
export function rpInitiatedLogout(dependencies: SignOutDependencies) {
  const { client, send } = dependencies;
  return {
    enabled: true,
    logoutSource: (context: Context) => askOrSignOut(context, dependencies),
    postLogoutSuccessSource: (context: Context) => send(context, signedOutPage(client)),
  };
}

/**
 * Signs out at once if the request has an ID token of the signed-in person: this shows that the person chose "sign out"
 * at the client. Otherwise asks first (§3).
 */
async function askOrSignOut(context: Context, dependencies: SignOutDependencies): Promise<void> {
  const { store, client, send, sessionCookie } = dependencies;
  const { session, entities } = context.oidc;
  if (entities.IdTokenHint?.payload.sub === session.accountId) {
    await session.destroy();
    context.cookies.set(sessionCookie.name, null, sessionCookie.attributes);
    goBack(context);
    return;
  }
  const account = await store.findPerson(session.accountId ?? '');
  const action = context.oidc.urlFor('end_session_confirm');
  send(context, signOutPage(client, { email: account?.email, action, secret: session.state?.secret }));
}

/** If nobody is signed in, goes back directly. The provider would send a form that submits itself by script. */
export async function skipEmptySignOut(context: Context, next: () => Promise<void>): Promise<void> {
  await next();
  const { status, oidc } = context;
  if (oidc?.route === 'end_session' && status === 200 && oidc.session.accountId === undefined)
    goBack(context);
}

/** Redirects to the client. The provider has already checked the address. */
function goBack(context: Context): void {
  const { post_logout_redirect_uri: uri, state } = context.oidc.params;
  const target = new URL(uri ?? context.oidc.urlFor('end_session_success'));
  if (uri !== undefined && state !== undefined) target.searchParams.set('state', state);
  context.status = 303;
  context.redirect(target.href);
}
