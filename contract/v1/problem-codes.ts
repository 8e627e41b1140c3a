/**
 * Every stable error code of the HTTP API (docs/api.md §7) and its properties. Each refusal in the service uses one of
 * these codes. Status, title and retryability are defined only here.
 */
type ProblemCodeEntry = {
  /** HTTP status code of the answer. */
  status: number;
  /** The reason phrase of the status, as Node writes it on the status line. */
  title: string;
  /** True when the same request may succeed later. */
  retryable: boolean;
  /** Explains what happened, for a reader of the documentation. */
  meaning: string;
  /** Explains what the reader can do about it. */
  whatToDo: string;
};

export const problemCodes = {
  invalid_request: {
    status: 400,
    title: 'Bad Request',
    retryable: false,
    meaning:
      'The request is malformed, or a field does not hold what it must: a prompt is missing, the model is not known, ' +
      'the model does not offer that aspect ratio, a query parameter is out of range or misspelt.',
    whatToDo:
      'Read `errors`: it has one entry for each field that is wrong. Correct them and send the request again.',
  },
  unauthorized: {
    status: 401,
    title: 'Unauthorized',
    retryable: false,
    meaning: 'No API key came with the request, or the key is malformed, unknown, revoked or expired.',
    whatToDo:
      'Send a valid key as `Authorization: Bearer <key>` or as `X-API-Key`. A lost key is replaced, never found.',
  },
  insufficient_credits: {
    status: 402,
    title: 'Payment Required',
    retryable: false,
    meaning:
      'The account has fewer spendable credits than the generation costs. Nothing was queued or charged.',
    whatToDo:
      'Choose a cheaper model, buy credits, or wait for the next refill (`next_refill` of the balance).',
  },
  forbidden: {
    status: 403,
    title: 'Forbidden',
    retryable: false,
    meaning: 'The key is valid but lacks the scope of this route, or the account may not do this.',
    whatToDo:
      'Use a key that has the scope named in `detail`; models for adults need an age-verified account; where the storage is full, delete uploads or items of the library.',
  },
  budget_exceeded: {
    status: 403,
    title: 'Forbidden',
    retryable: false,
    meaning:
      "The generation's cost would take the key over its daily credit budget, or is more than its own X-Renderkit-Max-Credits. Nothing was queued or charged.",
    whatToDo:
      'Wait for 00:00 UTC, when the day starts anew, or have the budget of the key raised; a higher price needs a higher X-Renderkit-Max-Credits.',
  },
  tier_required: {
    status: 403,
    title: 'Forbidden',
    retryable: false,
    meaning: "The account's plan does not include this model or feature.",
    whatToDo: 'Use a model of `GET /v1/models`, which lists what the plan includes, or change the plan.',
  },
  connection_expired: {
    status: 403,
    title: 'Forbidden',
    retryable: false,
    meaning: "The account's connection to the studio has ended and could not be renewed.",
    whatToDo: 'The owner of the key connects the studio again. The key itself stays as it is.',
  },
  not_found: {
    status: 404,
    title: 'Not Found',
    retryable: false,
    meaning: 'There is no such route or resource, or the resource belongs to another account.',
    whatToDo: 'Check the method, the path and the id.',
  },
  conflict: {
    status: 409,
    title: 'Conflict',
    retryable: false,
    meaning:
      'The request clashes with the present state: the generation to cancel has left the queue, the Idempotency-Key ' +
      'was used for a different request, or as many keys or webhook endpoints exist as are allowed.',
    whatToDo: 'Read the resource again, or use a fresh Idempotency-Key for a new request.',
  },
  unprocessable: {
    status: 422,
    title: 'Unprocessable Entity',
    retryable: false,
    meaning:
      'The request is well formed, but the studio cannot work with it: an unusable reference, settings that do not go together.',
    whatToDo: 'Read `detail`, and `errors` where it is present, and change the input.',
  },
  moderation_blocked: {
    status: 422,
    title: 'Unprocessable Entity',
    retryable: false,
    meaning: 'Moderation refused the prompt or a reference.',
    whatToDo: 'Change the prompt or the reference. The same input gets the same answer.',
  },
  account_suspended: {
    status: 423,
    title: 'Locked',
    retryable: false,
    meaning: 'The studio account is suspended.',
    whatToDo: 'Talk to whoever runs the studio.',
  },
  email_not_verified: {
    status: 423,
    title: 'Locked',
    retryable: false,
    meaning: 'The e-mail address of the studio account has not been verified.',
    whatToDo: 'Verify the address in the studio, then send the request again.',
  },
  rate_limited: {
    status: 429,
    title: 'Too Many Requests',
    retryable: true,
    meaning: 'The key has used up its requests of this minute, or the studio limits the account.',
    whatToDo: 'Wait as many seconds as `Retry-After` says, then send the request again.',
  },
  queue_full: {
    status: 429,
    title: 'Too Many Requests',
    retryable: true,
    meaning: 'The account has as many generations waiting or running as it may.',
    whatToDo: 'Wait as many seconds as `Retry-After` says, or until some generations have finished.',
  },
  geo_blocked: {
    status: 451,
    title: 'Unavailable For Legal Reasons',
    retryable: false,
    meaning: 'The studio does not serve this location.',
    whatToDo: 'Nothing can be done from this location.',
  },
  internal_error: {
    status: 500,
    title: 'Internal Server Error',
    retryable: true,
    meaning:
      'The service itself failed. For a create it may not be known whether the generation was accepted.',
    whatToDo:
      'Send the request again after a pause that grows, with the same Idempotency-Key. If it stays, give the ' +
      'operator the `request_id`.',
  },
  upstream_error: {
    status: 502,
    title: 'Bad Gateway',
    retryable: true,
    meaning: 'The studio answered with something that the service did not expect.',
    whatToDo: 'Send the request again after a pause that grows.',
  },
  upstream_unavailable: {
    status: 503,
    title: 'Service Unavailable',
    retryable: true,
    meaning:
      'The studio is in maintenance, overloaded, or did not answer in time; or nothing can make the model at present.',
    whatToDo: 'Wait as many seconds as `Retry-After` says, then send the request again.',
  },
} as const satisfies Record<string, ProblemCodeEntry>;

export type ProblemCode = keyof typeof problemCodes;

/** All codes in the order of the table. */
export const problemCodeNames = Object.keys(problemCodes) as ProblemCode[];
