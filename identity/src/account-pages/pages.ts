import { emailField, field, newPasswordField } from '../pages/form-field.ts';
import { html } from '../pages/html.ts';
import { wayBack } from '../pages/page-error.ts';
import type { ClientFacts, Page } from '../pages/page.ts';
import type { FieldErrors } from '../pages/read-fields.ts';
import { passwordHint } from '../passwords/password-rules.ts';
import { paths } from './paths.ts';

/** The page at the studio's own address. */
export function frontPage(client: ClientFacts): Page {
  return {
    title: 'Studio',
    body: html`<h1>This is a studio</h1>
      <p class="lead">
        It keeps accounts, credits and what was made, and renders for ${client.name}. All there is to do here
        is to
        <a href="${paths.changePassword}">change your password</a>.
      </p>
      ${wayBack(client)}`,
  };
}

export type ChangePasswordView = {
  client: ClientFacts;
  email?: string | undefined;
  /** Whether the browser is signed in with this address. Then the page shows the address instead of a field for it. */
  isSignedIn: boolean;
  errors?: FieldErrors;
  /** An error that concerns the whole form. */
  problem?: string;
};

export function changePasswordPage(view: ChangePasswordView): Page {
  const { client, email, isSignedIn, errors = {}, problem } = view;
  const focused =
    ['email', 'current', 'password'].find((name) => errors[name] !== undefined) ??
    (email === undefined ? 'email' : 'current');
  const more = (name: string) => ({ error: errors[name], focus: name === focused });
  return {
    title: 'Change your password',
    body: html`<h1>Change your password</h1>
      <p class="lead">Other browsers that are signed in at the studio will have to sign in again.</p>
      ${problem !== undefined && html`<p class="note bad" role="alert" id="problem">${problem}</p>`}
      <form method="post" action="${paths.changePassword}">
        <div class="fields">
          ${emailField({
            value: email,
            readOnly: isSignedIn,
            ...more('email'),
          })}
          ${field({
            name: 'current',
            label: 'Current password',
            type: 'password',
            complete: 'current-password',
            describedBy: problem === undefined ? undefined : 'problem',
            ...more('current'),
          })}
          ${newPasswordField('New password', { hint: passwordHint, ...more('password') })}
        </div>
        <div class="actions"><button>Change password</button></div>
      </form>
      ${
        client.url !== undefined &&
        html`<p class="aside"><a href="${client.url}">Cancel and go back to ${client.name}</a></p>`
      }`,
  };
}

export function passwordChangedPage(client: ClientFacts): Page {
  return {
    title: 'Your password is changed',
    body: html`<h1>Your password is changed</h1>
      <p class="lead">
        Sign in with the new one from now on. API keys and what is being rendered go on as they are. Browsers
        that are signed in to ${client.name} stay so: if you do not know one of them, end its session there.
      </p>
      ${
        client.url !== undefined &&
        html`<div class="actions"><a class="button" href="${client.url}">Back to ${client.name}</a></div>`
      }`,
  };
}

export type ResetPasswordView = { email: string; token: string; errors?: FieldErrors };

export function resetPasswordPage({ email, token, errors = {} }: ResetPasswordView): Page {
  return {
    title: 'Choose a new password',
    body: html`<h1>Choose a new password</h1>
      <p class="lead">Every browser that is signed in at the studio will have to sign in again.</p>
      <form method="post" action="${paths.resetPassword}">
        <input type="hidden" name="token" value="${token}" />
        <div class="fields">
          ${emailField({
            value: email,
            readOnly: true,
          })}
          ${newPasswordField('New password', { hint: passwordHint, error: errors['password'], focus: true })}
        </div>
        <div class="actions"><button>Set password</button></div>
      </form>`,
  };
}

export function passwordResetPage(client: ClientFacts, email: string): Page {
  const address = client.signInUrl === undefined ? undefined : new URL(client.signInUrl);
  address?.searchParams.set('login_hint', email);
  return {
    title: 'Your password is set',
    body: html`<h1>Your password is set</h1>
      <p class="lead">Sign in with it now. The link that brought you here is used up.</p>
      ${
        address === undefined
          ? wayBack(client)
          : html`<div class="actions"><a class="button" href="${address.href}">Sign in</a></div>`
      }`,
  };
}
