import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checkLedger, showLedger } from '@renderkit/studio/operator.ts';
import { createDoomedPart } from './doomed-part.ts';
import { client, request, startTestStudio } from './harness.ts';

test('a studio killed at any point of a submit leaves one render and one charge, or neither', async () => {
  await using studio = await startTestStudio({ worker: false });
  for (const point of ['submit: before the statement', 'submit: after the commit']) {
    const account = await studio.connect({ tier: 'pro' });
    const { quote } = await account.quote();
    const crashing = createDoomedPart(studio, 'studio', point);
    await crashing.start();
    await assert.rejects(
      fetch(`${crashing.url}/api/renders/gen_crash`, {
        method: 'PUT',
        headers: { authorization: `Bearer ${account.accessToken}`, 'content-type': 'application/json' },
        body: JSON.stringify({ quote, request: request() }),
      }),
    );
    await crashing.ended;
    const known = await account.call('GET', '/api/renders/gen_crash');
    assert.equal(known.status, point === 'submit: after the commit' ? 200 : 404, point);
    const again = await account.call<{ outcome: string }>('PUT', '/api/renders/gen_crash', {
      quote,
      request: request(),
    });
    assert.equal(again.body.outcome, 'accepted');
    const kinds = (await showLedger(studio.database, account.email)).map(({ kind }) => kind);
    assert.deepEqual(kinds, ['opening', 'charge'], point);
    const waiting = await studio.database.rows(
      `select from renders where account_id = $1 and status = 'queued' and tag is not null`,
      [account.id],
    );
    assert.equal(waiting.length, 1, point);
  }
  assert.deepEqual(await checkLedger(studio.database), []);
});

test('a studio that is told to stop answers its long polls first', async () => {
  await using studio = await startTestStudio({ worker: false });
  const account = await studio.connect();
  await using stopping = createDoomedPart(studio, 'studio', 'never');
  await stopping.start();
  const poll = fetch(`${stopping.url}/api/changes`, {
    method: 'POST',
    headers: {
      authorization: `Basic ${btoa(`${encodeURIComponent(client.id)}:${encodeURIComponent(client.secret)}`)}`,
      'content-type': 'application/json',
    },
    body: JSON.stringify({ accounts: [{ account: account.id, cursor: 0 }], wait_seconds: 20 }),
  });
  await new Promise((resolve) => setTimeout(resolve, 300));
  const began = performance.now();
  const stopped = stopping.kill('SIGTERM');
  const answer = await poll;
  assert.equal(answer.status, 200);
  assert.deepEqual(await answer.json(), { accounts: [] });
  await stopped;
  assert.equal(stopping.process.exitCode, 0);
  assert.ok(performance.now() - began < 8_000);
});
