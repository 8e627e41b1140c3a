import { html } from '../pages/html.ts';
import { wayBack } from '../pages/page-error.ts';
import type { ClientFacts, Page } from '../pages/page.ts';

/** Asks before the browser is signed out, because anybody can send a browser to this page. */
export function signOutPage(
  client: ClientFacts,
  question: { email: string | null | undefined; action: string; secret: string | undefined },
): Page {
  const { email, action, secret } = question;
  const answer = (button: ReturnType<typeof html>) =>
    html`<form method="post" action="${action}">
      <input type="hidden" name="xsrf" value="${secret}" />${button}
    </form>`;
  return {
    title: 'Sign out',
    body: html`<h1>Sign out of the studio?</h1>
      <p class="lead">
        ${email == null ? 'You are signed in' : html`You are signed in as <b>${email}</b>`} in this browser.
        API keys and what is being rendered go on as they are.
      </p>
      <div class="actions">
        ${answer(html`<button name="logout" value="yes">Sign out</button>`)}
        ${answer(html`<button class="plain">Stay signed in</button>`)}
      </div>`,
  };
}

export function signedOutPage(client: ClientFacts): Page {
  return {
    title: 'Signed out',
    body: html`<h1>You are signed out</h1>
      <p class="lead">This browser is no longer signed in at the studio.</p>
      ${wayBack(client)}`,
  };
}
