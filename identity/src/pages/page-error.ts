import { isDatabaseUnavailable } from '@renderkit/server-kit/db/database.ts';
import { html } from './html.ts';
import type { ClientFacts, Page } from './page.ts';

/** Why a page cannot be shown, in words for whoever sees it. */
export type Trouble = {
  status: number;
  title: string;
  text: string;
  /** What the provider calls it (RFC 6749 §4.1.2.1), for whoever has to mend it. */
  detail?: string;
  retryAfterSeconds?: number;
};

export const troubles = {
  gone: {
    status: 400,
    title: 'This page has expired',
    text: 'It was open for more than an hour, was used before, or the browser keeps no cookies for this site. Begin again.',
  },
  failed: {
    status: 500,
    title: 'Something failed here',
    text: 'It is not your fault. Try again; if it stays so, tell whoever runs this studio.',
  },
  away: {
    status: 503,
    title: 'The studio cannot answer now',
    text: 'It cannot reach its database. Try again in a moment.',
    retryAfterSeconds: 5,
  },
  maintenance: {
    status: 503,
    title: 'The studio is under maintenance',
    text: 'Signing in will be possible again when it is over.',
    retryAfterSeconds: 30,
  },
  busy: {
    status: 503,
    title: 'Too many people are signing in',
    text: 'Try again in a few seconds.',
    retryAfterSeconds: 5,
  },
  tooManyBegun: {
    status: 429,
    title: 'Too many tries from here',
    text: 'So many sign-ins were begun from your network that no more can be for some minutes.',
  },
  nothingHere: { status: 404, title: 'There is no such page', text: 'Nothing is at this address.' },
  unreadable: {
    status: 400,
    title: 'This form could not be read',
    text: 'It is not one of this page, or too large. Begin again.',
  },
  otherMode: {
    status: 400,
    title: 'This request cannot be answered',
    text: 'The application asked for an answer in a form that the studio does not give.',
    detail: 'response_mode: only query is served',
  },
  linkGone: {
    status: 410,
    title: 'This link is no longer good',
    text: 'It was used, its hour is over, or a newer one was made. Ask whoever runs this studio for another.',
  },
  foreignForm: {
    status: 403,
    title: 'This form came from somewhere else',
    text: 'It was not sent by this page, so nothing was done. Begin again.',
  },
} as const satisfies Record<string, Trouble>;

/** A page that cannot be shown, for a reason to tell. */
export class Refused extends Error {
  override name = 'Refused';
  readonly trouble: Trouble;
  constructor(trouble: Trouble, options?: ErrorOptions) {
    super(trouble.title, options);
    this.trouble = trouble;
  }
}

/** What to say of an error of our own, or of a request that could not be read. */
export function ownTrouble(error: unknown): Trouble {
  if (error instanceof Refused) return error.trouble;
  const { statusCode } = error as { statusCode?: number };
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return { ...troubles.unreadable, status: statusCode };
  return isDatabaseUnavailable(error) ? troubles.away : troubles.failed;
}

/** An error that the OpenID provider tells. `name` is its class. */
export type ProviderError = { error: string; error_description?: string };

const requestTroubles: Record<string, { title: string; text: string }> = {
  invalid_redirect_uri: {
    title: 'This way back is not known',
    text: 'The application asked for the answer to be sent to an address that the studio was not told of.',
  },
  invalid_client: {
    title: 'This application is not known',
    text: 'The studio was not told of it.',
  },
};

/** What to say of an error of the provider's. Our own faults are told without what they were. */
export function providerTrouble(told: ProviderError, error: unknown): Trouble {
  if (isDatabaseUnavailable(error)) return troubles.away;
  if ((error as Error).name === 'SessionNotFound') return troubles.gone;
  const { status = 500 } = error as { status?: number };
  if (told.error === 'server_error' || status >= 500) return troubles.failed;
  return {
    status,
    title: 'This request cannot be answered',
    text: 'What the application asked for is not as it should be.',
    ...requestTroubles[told.error],
    detail: [told.error, told.error_description].filter((part) => part !== undefined).join(': '),
  };
}

export function troublePage(trouble: Trouble, client: ClientFacts): Page {
  return {
    title: trouble.title,
    body: html`<h1>${trouble.title}</h1>
      <p class="lead">${trouble.text}</p>
      ${trouble.detail !== undefined && html`<p class="small"><code>${trouble.detail}</code></p>`}
      ${wayBack(client)}`,
  };
}

/** A link to where the client is used. */
export function wayBack(client: ClientFacts) {
  return (
    client.url !== undefined &&
    html`<div class="actions"><a class="button plain" href="${client.url}">Back to ${client.name}</a></div>`
  );
}
