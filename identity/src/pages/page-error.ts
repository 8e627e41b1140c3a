import { isDatabaseUnavailable } from '@renderkit/server-kit/db/database.ts';
import { PasswordChecksBusy } from '../passwords/hash-limiter.ts';
import { html } from './html.ts';
import type { ClientFacts, Page } from './page.ts';

/** Why a page cannot be shown, in words for the person who sees it. */
export type PageError = {
  status: number;
  title: string;
  text: string;
  /** The provider's own error (RFC 6749 §4.1.2.1), for the person who has to fix it. */
  detail?: string;
  retryAfterSeconds?: number;
};

export const pageErrors = {
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
} as const satisfies Record<string, PageError>;

/** A page cannot be shown; `pageError` is shown instead. */
export class Refused extends Error {
  override name = 'Refused';
  readonly pageError: PageError;
  constructor(pageError: PageError, options?: ErrorOptions) {
    super(pageError.title, options);
    this.pageError = pageError;
  }
}

/** Returns the page error for an error: one of our own, or a request that could not be read. */
export function pageErrorOf(error: unknown): PageError {
  if (error instanceof Refused) return error.pageError;
  if (error instanceof PasswordChecksBusy) return pageErrors.busy;
  if ((error as Error).name === 'SessionNotFound') return pageErrors.gone;
  const { statusCode } = error as { statusCode?: number };
  if (statusCode !== undefined && statusCode >= 400 && statusCode < 500)
    return { ...pageErrors.unreadable, status: statusCode };
  return isDatabaseUnavailable(error) ? pageErrors.away : pageErrors.failed;
}

/** An error answer of the OpenID provider. */
export type ProviderError = { error: string; error_description?: string };

const requestErrors: Record<string, { title: string; text: string }> = {
  invalid_redirect_uri: {
    title: 'This way back is not known',
    text: 'The application asked for the answer to be sent to an address that the studio was not told of.',
  },
  invalid_client: {
    title: 'This application is not known',
    text: 'The studio was not told of it.',
  },
};

/** Returns the page error for an error of the provider. Does not show the cause of our own errors. */
export function providerPageError(answer: ProviderError, error: unknown): PageError {
  if (isDatabaseUnavailable(error)) return pageErrors.away;
  if ((error as Error).name === 'SessionNotFound') return pageErrors.gone;
  const { status = 500 } = error as { status?: number };
  if (answer.error === 'server_error' || status >= 500) return pageErrors.failed;
  return {
    status,
    title: 'This request cannot be answered',
    text: 'What the application asked for is not as it should be.',
    ...requestErrors[answer.error],
    detail: [answer.error, answer.error_description].filter((part) => part !== undefined).join(': '),
  };
}

export function errorPage(pageError: PageError, client: ClientFacts): Page {
  return {
    title: pageError.title,
    body: html`<h1>${pageError.title}</h1>
      <p class="lead">${pageError.text}</p>
      ${pageError.detail !== undefined && html`<p class="small"><code>${pageError.detail}</code></p>`}
      ${wayBack(client)}`,
  };
}

/** Returns a link to the client's own address, if it has one. */
export function wayBack(client: ClientFacts) {
  return (
    client.url !== undefined &&
    html`<div class="actions"><a class="button plain" href="${client.url}">Back to ${client.name}</a></div>`
  );
}
