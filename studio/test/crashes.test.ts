import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { test } from 'node:test';
import { checkLedger, showLedger } from '@renderkit/studio/operator.ts';
import { client, request, startTestStudio, type TestStudio } from './harness.ts';

/** A second studio on the same database, in a process of its own, that kills itself at the point. */
async function startCrashing(
  studio: TestStudio,
  point: string,
): Promise<{ url: string; child: ChildProcess }> {
  const child = fork(path.join(import.meta.dirname, 'crash-studio.ts'), [point], {
    env: {
      ...process.env,
      STUDIO_DATABASE_URL: studio.databaseUrl,
      STUDIO_CLIENT_ID: client.id,
      STUDIO_CLIENT_SECRET: client.secret,
      STUDIO_PORT: '0',
      DATA_DIR: studio.dataDirectory,
      LOG_LEVEL: 'error',
    },
  });
  const [ready] = (await once(child, 'message')) as [{ url: string }];
  return { url: ready.url, child };
}

test('a studio killed at any point of a submit leaves one render and one charge, or neither', async () => {
  await using studio = await startTestStudio({ worker: false });
  for (const point of [
    'submit: before the transaction',
    'submit: before the commit',
    'submit: after the commit',
  ]) {
    const account = await studio.connect({ tier: 'pro' });
    const { quote } = await account.quote();
    const crashing = await startCrashing(studio, point);
    const died = once(crashing.child, 'exit');
    await assert.rejects(
      fetch(`${crashing.url}/api/renders/gen_crash`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${account.accessToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ quote, request: request() }),
      }),
    );
    await died;
    const known = await account.call('GET', '/api/renders/gen_crash');
    assert.equal(known.status, point === 'submit: after the commit' ? 200 : 404, point);
    const again = await account.call<{ outcome: string }>('PUT', '/api/renders/gen_crash', {
      quote,
      request: request(),
    });
    assert.equal(again.body.outcome, 'accepted');
    const kinds = (await showLedger(studio.database, account.email)).map(({ kind }) => kind);
    assert.deepEqual(kinds, ['opening', 'charge'], point);
    const jobs = await studio.database.rows(
      `select from pgboss.job j join renders r on r.id = j.data->>'render' where r.account_id = $1`,
      [account.id],
    );
    assert.equal(jobs.length, 1, point);
  }
  assert.deepEqual(await checkLedger(studio.database), []);
});

test('a studio that is told to stop answers its long polls first', async () => {
  await using studio = await startTestStudio({ worker: false });
  const account = await studio.connect();
  const crashing = await startCrashing(studio, 'never');
  const poll = fetch(`${crashing.url}/api/changes`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${btoa(`${encodeURIComponent(client.id)}:${encodeURIComponent(client.secret)}`)}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ accounts: [{ account: account.id, cursor: 0 }], wait_seconds: 20 }),
  });
  await new Promise((resolve) => setTimeout(resolve, 300));
  const exited = once(crashing.child, 'exit');
  const began = performance.now();
  crashing.child.kill('SIGTERM');
  const answer = await poll;
  assert.equal(answer.status, 200);
  assert.deepEqual(await answer.json(), { accounts: [] });
  assert.deepEqual(await exited, [0, null]);
  assert.ok(performance.now() - began < 8_000);
});
