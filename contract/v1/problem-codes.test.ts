import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { STATUS_CODES } from 'node:http';
import { test } from 'node:test';
import { problemCodeNames, problemCodes } from './problem-codes.ts';

/** The codes that clients rely on, repeated here on purpose. */
const promised = {
  400: ['invalid_request'],
  401: ['unauthorized'],
  402: ['insufficient_credits'],
  403: ['forbidden', 'budget_exceeded', 'tier_required', 'connection_expired'],
  404: ['not_found'],
  409: ['conflict'],
  422: ['unprocessable', 'moderation_blocked'],
  423: ['account_suspended', 'email_not_verified'],
  429: ['rate_limited', 'queue_full'],
  451: ['geo_blocked'],
  500: ['internal_error'],
  502: ['upstream_error'],
  503: ['upstream_unavailable'],
};

test('each code has the status that clients rely on', () => {
  const table: Record<number, string[]> = {};
  for (const code of problemCodeNames) (table[problemCodes[code].status] ??= []).push(code);
  assert.deepEqual(table, promised);
});

test('the title of a code is the reason phrase of its status line', () => {
  for (const code of problemCodeNames) {
    assert.equal(problemCodes[code].title, STATUS_CODES[problemCodes[code].status], code);
  }
});

test('a client may retry after 429 and after 5xx, and after nothing else', () => {
  for (const code of problemCodeNames) {
    const { status, retryable } = problemCodes[code];
    assert.equal(retryable, status === 429 || status >= 500, code);
  }
});

test('docs/api.md lists every code with its status', async () => {
  const document = await readFile(new URL('../../docs/api.md', import.meta.url), 'utf8');
  const rows = [...document.matchAll(/^\| `(\w+)` \| (\d{3}) \| (no|yes)/gm)];
  const documented = rows.map(([, code, status, retryable]) => `${code} ${status} ${retryable}`);
  const table = problemCodeNames.map((code) => {
    const { status, retryable } = problemCodes[code];
    return `${code} ${status} ${retryable ? 'yes' : 'no'}`;
  });
  assert.deepEqual(documented, table);
});
