import { type ProblemCode, problemCodes } from './problem-codes.ts';
import type { GenerationStatus } from './schemas/generation.ts';
import type { UploadStatus } from './schemas/upload.ts';

/**
 * Describes for authors of clients how to get each answer of the API on purpose from a default installation: what an
 * operator changes, what the client sends, what the answer is. The documents are generated from it, and a test runs it.
 */
export type SandboxRecipe = {
  /** A problem code, or the name of the result. It is also the anchor in the documents. */
  id: string;
  title: string;
  /** Further explanation; words between backticks are code. */
  note: string;
  /** Operator commands that run first. `{email}` is replaced by the address of the account. */
  prepare?: readonly string[];
  /** Seconds until the changes of `prepare` have effect everywhere. */
  settleSeconds?: number;
  /** Options of `key create` for a separate key for this recipe, or `none` to send no key. */
  key?: { options: string } | 'none';
  /** The requests, sent one after the other. The answer to the last one is the result. */
  requests: readonly SandboxRequest[];
  answer: SandboxAnswer;
  /** Operator commands that undo all changes. */
  restore?: readonly string[];
};

export type SandboxRequest = {
  method: 'GET' | 'POST';
  path: `/v1/${string}`;
  headers?: Readonly<Record<string, string>>;
  body?: object;
  /** A small picture with this file name, sent as a form instead of a body. */
  upload?: string;
};

export type SandboxAnswer =
  | { code: ProblemCode }
  /** The created generation gets this status; `error` is the code of its error. */
  | { generation: GenerationStatus; error: string | null; seconds?: number }
  /** The created upload gets this status. */
  | { upload: UploadStatus; seconds?: number };

/** The address of the account that the first start creates. */
export const demoEmail = 'demo@renderkit.local';

const create = (body: object, more: Partial<SandboxRequest> = {}): SandboxRequest => ({
  method: 'POST',
  path: '/v1/images/generations',
  body,
  ...more,
});
const lake = { prompt: 'a calm lake at dawn' };
const account: SandboxRequest = { method: 'GET', path: '/v1/account' };
const set = (options: string) => `account set --email {email} ${options}`;
const fault = (next: string) => `studio fault --email {email} --next ${next}`;

const refusals: readonly (Omit<SandboxRecipe, 'id' | 'title' | 'answer'> & { code: ProblemCode })[] = [
  {
    code: 'invalid_request',
    note: 'A ratio that the model does not offer and a style that there is not: `errors` tells of both.',
    requests: [create({ ...lake, aspect_ratio: '7:3', styles: ['sty_nobody'] })],
  },
  {
    code: 'unauthorized',
    note: 'No key at all; a wrong, revoked or expired one gets the same answer.',
    key: 'none',
    requests: [account],
  },
  {
    code: 'insufficient_credits',
    note: 'The account has nothing left.',
    prepare: [set('--credits 0')],
    requests: [create(lake)],
    restore: [set('--credits 1000')],
  },
  {
    code: 'forbidden',
    note: 'A key that may only read. A model for adults on an account of unknown age gets the same code, and so does a full account: `account set --storage-mb 0`.',
    key: { options: '--scopes read' },
    requests: [create(lake)],
  },
  {
    code: 'budget_exceeded',
    note: 'A key that may spend nothing.',
    key: { options: '--daily-budget 0' },
    requests: [create(lake)],
  },
  {
    code: 'tier_required',
    note: 'A model of a larger plan.',
    prepare: [set('--tier free')],
    requests: [create({ ...lake, model: 'prism-1' })],
    restore: [set('--tier plus')],
  },
  {
    code: 'connection_expired',
    note: 'The session at the studio is ended; connecting the account begins a new one.',
    prepare: ['account end-session --email {email}'],
    requests: [account],
    restore: ['account connect --email {email}'],
  },
  {
    code: 'not_found',
    note: 'An id that is nobody’s. An id of another account gets the same answer.',
    requests: [{ method: 'GET', path: '/v1/generations/gen_00000000000000000000000000' }],
  },
  {
    code: 'conflict',
    note: 'One Idempotency-Key for two different requests.',
    requests: [
      create(lake, { headers: { 'Idempotency-Key': 'sandbox-1' } }),
      create({ prompt: 'another lake' }, { headers: { 'Idempotency-Key': 'sandbox-1' } }),
    ],
  },
  {
    code: 'unprocessable',
    note: 'A model and a style that do not go together: lines have no watercolour.',
    requests: [create({ ...lake, model: 'linework-1', styles: ['sty_watercolour'] })],
  },
  {
    code: 'moderation_blocked',
    note: 'A phrase that moderation refuses. The rules are in `moderation.json` of the data directory.',
    requests: [create({ prompt: 'how to make a bomb' })],
  },
  {
    code: 'account_suspended',
    note: 'The studio has suspended the account. Reading goes on.',
    prepare: [set('--suspended true')],
    requests: [create(lake)],
    restore: [set('--suspended false')],
  },
  {
    code: 'email_not_verified',
    note: 'The address of the account counts as not verified.',
    prepare: [set('--email-verified false')],
    requests: [create(lake)],
    restore: [set('--email-verified true')],
  },
  {
    code: 'rate_limited',
    note: 'A key that may ask once a minute asks three times. Mind `Retry-After`.',
    key: { options: '--rate-limit 1' },
    requests: [account, account, account],
  },
  {
    code: 'queue_full',
    note: 'The studio refuses the next request for having too many running. Mind `Retry-After`.',
    prepare: [fault('concurrency')],
    requests: [create(lake)],
  },
  {
    code: 'geo_blocked',
    note: 'The studio does not serve where the account is.',
    prepare: [set('--region-blocked true')],
    requests: [create(lake)],
    restore: [set('--region-blocked false')],
  },
  {
    code: 'upstream_error',
    note: 'The studio answers the next request with nonsense.',
    prepare: [fault('nonsense')],
    requests: [create(lake)],
  },
  {
    code: 'upstream_unavailable',
    note: 'The studio is in maintenance, from a second after the command on. Mind `Retry-After`.',
    prepare: ['studio maintenance on'],
    settleSeconds: 2,
    requests: [account],
    restore: ['studio maintenance off'],
  },
];

const outcomes: readonly SandboxRecipe[] = [
  {
    id: 'partial_failure',
    title: 'Some outputs are missing',
    note: 'Two pictures are asked for and one is made: the status is `succeeded`, and `error.code` says `partial_failure`.',
    requests: [create({ ...lake, model: 'sandbox-partial' })],
    answer: { generation: 'succeeded', error: 'partial_failure' },
  },
  {
    id: 'failed-render',
    title: 'A render that fails',
    note: 'The status becomes `failed`, the credits come back, and the budget has them again.',
    requests: [create({ ...lake, model: 'sandbox-fail' })],
    answer: { generation: 'failed', error: 'upstream_error' },
  },
  {
    id: 'slow-render',
    title: 'A render that takes its time',
    note: 'As many seconds as the option says, 1 to 300, and then it succeeds. Others of the account wait as `queued` when its slots are full.',
    requests: [create({ ...lake, model: 'sandbox-slow', options: { seconds: 5 } })],
    answer: { generation: 'succeeded', error: null, seconds: 5 },
  },
  {
    id: 'rejected-upload',
    title: 'An upload that is rejected',
    note: 'Any picture or video with `sandbox-rejected` in its file name: `processing` first, then `rejected`.',
    requests: [{ method: 'POST', path: '/v1/uploads', upload: 'sandbox-rejected.png' }],
    answer: { upload: 'rejected' },
  },
  {
    id: 'slow-upload',
    title: 'An upload that is looked at for long',
    note: 'With `sandbox-slow` in its file name it stays in `processing` for 20 seconds. A generation that names it waits.',
    requests: [{ method: 'POST', path: '/v1/uploads', upload: 'sandbox-slow.png' }],
    answer: { upload: 'ready', seconds: 20 },
  },
];

export const sandboxRecipes: readonly SandboxRecipe[] = [
  ...refusals.map(({ code, ...recipe }): SandboxRecipe => ({
    id: code,
    title: `${problemCodes[code].status} ${code}`,
    ...recipe,
    answer: { code },
  })),
  ...outcomes,
];

/**
 * The variables and files of all recipes: the address of the service, an API key, the address of its account, and a
 * picture of one pixel.
 */
export const sandboxSetup = [
  'URL=http://127.0.0.1:8787',
  'KEY=rk_live_...',
  `EMAIL=${demoEmail}`,
  "echo 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==' |",
  '  base64 -d > picture.png',
];

/** Returns the recipe as lines for a shell, to run after `sandboxSetup`. */
export function sandboxLines({
  prepare = [],
  settleSeconds,
  key,
  requests,
  restore = [],
}: SandboxRecipe): string[] {
  const operator = (words: string) => `npm run operator -- ${words.replaceAll('{email}', '$EMAIL')}`;
  const ownKey = typeof key === 'object';
  const variable = ownKey ? '$SANDBOX_KEY' : '$KEY';
  return [
    ...prepare.map(operator),
    ...(settleSeconds === undefined ? [] : [`sleep ${settleSeconds}`]),
    ...(ownKey
      ? [
          `SANDBOX_KEY=$(${operator(`key create --email {email} --name Sandbox ${key.options}`)} |`,
          "  grep -o 'rk_live_[0-9A-Za-z_]*')",
        ]
      : []),
    ...requests.map((request) => curlOf(request, key === 'none' ? undefined : variable)),
    ...restore.map(operator),
  ];
}

/** The maximum length of a line that the documents show without scrolling. */
const maxLineCharacters = 80;

function curlOf(
  { method, path, headers = {}, body, upload }: SandboxRequest,
  key: string | undefined,
): string {
  const given = {
    ...(key !== undefined && { Authorization: `Bearer ${key}` }),
    ...headers,
    ...(body !== undefined && { 'Content-Type': 'application/json' }),
  };
  const parts = [
    `curl -i${method === 'GET' ? '' : ` -X ${method}`} "$URL${path}"`,
    ...Object.entries(given).map(([name, value]) => `-H "${name}: ${value}"`),
    ...(body === undefined ? [] : [`-d '${JSON.stringify(body)}'`]),
    ...(upload === undefined ? [] : [`-F "file=@picture.png;filename=${upload}"`]),
  ];
  // A longer line is broken into several lines.
  const line = parts.join(' ');
  return line.length <= maxLineCharacters ? line : parts.join(' \\\n  ');
}

/** Returns the result as a sentence. */
export function sandboxOutcome({ answer }: SandboxRecipe): string {
  if ('code' in answer)
    return `The answer is ${problemCodes[answer.code].status} with the code \`${answer.code}\`.`;
  const after = answer.seconds === undefined ? '' : `, after ${answer.seconds} seconds or more`;
  if ('upload' in answer)
    return `The upload becomes \`${answer.upload}\`${after}: see \`GET /v1/uploads/{id}\`, or the event.`;
  const error = answer.error === null ? '' : `, with \`error.code\` \`${answer.error}\``;
  return `The generation becomes \`${answer.generation}\`${error}${after}: see \`GET /v1/generations/{id}?wait=60\`, or the event.`;
}
