import { emailField, field, newPasswordField } from '../pages/form-field.ts';
import { Html, html } from '../pages/html.ts';
import type { ClientFacts, Page } from '../pages/page.ts';
import type { FieldErrors } from '../pages/read-fields.ts';
import { passwordHint } from '../passwords/password-rules.ts';

/** The addresses of one interaction's forms. */
export type Addresses = {
  signIn: string;
  signUp: string;
  other: string;
  consent: string;
  cancel: string;
};

export type SignInView = {
  client: ClientFacts;
  at: Addresses;
  email?: string | undefined;
  /** Whether accounts can be created here. */
  signUp: boolean;
  /** An error that concerns the whole form. */
  problem?: string | undefined;
};

export function signInPage({ client, at, email, signUp, problem }: SignInView): Page {
  return {
    title: 'Sign in',
    body: html`<h1>Sign in</h1>
      <p class="lead">Use your studio account to continue to ${client.name}.</p>
      ${problem !== undefined && html`<p class="note bad" role="alert" id="problem">${problem}</p>`}
      <form method="post" action="${at.signIn}">
        <div class="fields">
          ${emailField({
            value: email,
            focus: email === undefined,
            describedBy: problem === undefined ? undefined : 'problem',
          })}
          ${field({
            name: 'password',
            label: 'Password',
            type: 'password',
            complete: 'current-password',
            focus: email !== undefined,
          })}
        </div>
        <div class="actions"><button>Sign in</button></div>
      </form>
      ${cancelForm(at, client)}`,
    after: signUp
      ? html`<p class="aside">New here? <a href="${at.signUp}">Create an account</a></p>`
      : undefined,
  };
}

export type SignUpView = {
  client: ClientFacts;
  at: Addresses;
  /** The scopes that the client requests. A person who creates an account here allows them. */
  scopes: readonly string[];
  values?: { email?: string | undefined; name?: string | undefined };
  errors?: FieldErrors;
  problem?: string;
};

/** Creates an account, signs in and allows the client, all with one form. */
export function signUpPage({ client, at, scopes, values = {}, errors = {}, problem }: SignUpView): Page {
  // The field that gets the focus: the first one with an error, else the first one.
  const focused = ['name', 'email', 'password'].find((name) => errors[name] !== undefined) ?? 'name';
  const more = (name: string) => ({ error: errors[name], focus: name === focused });
  return {
    title: 'Create an account',
    body: html`<h1>Create an account</h1>
      <p class="lead">It is on the free plan of this studio.</p>
      ${problem !== undefined && html`<p class="note bad" role="alert">${problem}</p>`}
      <form method="post" action="${at.signUp}">
        <div class="fields">
          ${field({ name: 'name', label: 'Name', type: 'text', complete: 'name', value: values.name, ...more('name') })}
          ${emailField({
            value: values.email,
            ...more('email'),
          })}
          ${newPasswordField('Password', {
            hint: passwordHint,
            ...more('password'),
          })}
        </div>
        <p class="terms" id="allows">With it you allow ${client.name} to do this:</p>
        ${asksList(scopes)}
        <div class="actions"><button aria-describedby="allows">Create account</button></div>
      </form>
      ${cancelForm(at, client)}`,
    after: html`<p class="aside">You have an account? <a href="${at.other}">Sign in</a></p>`,
  };
}

export type ConsentView = {
  client: ClientFacts;
  at: Addresses;
  name: string | null;
  email: string | null;
  /** The scopes that the client requests. */
  scopes: readonly string[];
};

export function consentPage({ client, at, name, email, scopes }: ConsentView): Page {
  return {
    title: `Allow ${client.name}`,
    body: html`<h1>Allow ${client.name} to use your account?</h1>
      ${client.url !== undefined && html`<p class="lead">It is at ${new URL(client.url).host}.</p>`}
      <p class="who">
        <span>Signed in as <b>${name ?? email ?? 'somebody without a name'}</b></span>
        ${name !== null && email !== null && html`<span class="soft">${email}</span>`}
        <a href="${at.other}">Use another account</a>
      </p>
      ${asksList(scopes)}
      <form method="post" action="${at.consent}">
        <div class="actions">
          <button name="answer" value="allow">Allow</button>
          <button class="plain" name="answer" value="deny">Do not allow</button>
        </div>
      </form>`,
  };
}

const tick = new Html(
  '<svg viewBox="0 0 20 20" aria-hidden="true" fill="none" stroke="currentColor" stroke-width="2" stroke-linecap="round" stroke-linejoin="round"><path d="M4 10.5l4 4 8-9"/></svg>',
);

function asksList(scopes: readonly string[]): Html {
  const items = asksOf(scopes).map(
    ({ title, text }) =>
      html`<li>
        ${tick}
        <div><strong>${title}</strong><span>${text}</span></div>
      </li>`,
  );
  return html`<ul class="asks">
    ${items}
  </ul>`;
}

function asksOf(scopes: readonly string[]): { title: string; text: string }[] {
  const has = (scope: string) => scopes.includes(scope);
  return [
    ...(has('email') || has('profile')
      ? [{ title: 'Know who you are', text: 'Your name, e-mail address and user name.' }]
      : [{ title: 'Recognise you', text: 'By a number, without your name.' }]),
    {
      title: 'Make pictures and videos for you',
      text: 'With your credits, your plan, your projects and your library.',
    },
    ...(has('offline_access')
      ? [
          {
            title: 'Go on while you are away',
            text: 'Your API keys and what is queued need no browser.',
          },
        ]
      : []),
  ];
}

function cancelForm(at: Addresses, client: ClientFacts): Html {
  return html`<form method="post" action="${at.cancel}">
    <p class="aside"><button class="link">Cancel and go back to ${client.name}</button></p>
  </form>`;
}
