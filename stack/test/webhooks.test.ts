import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { openTestOperator, type TestOperator } from '../src/testing/test-operator.ts';

// Nothing is delivered here: these tests check only the commands. The service's tests check their effects.

let typed: TestOperator;
before(async () => {
  typed = await openTestOperator();
});
after(() => typed[Symbol.asyncDispose]());

async function operator<Data = Record<string, unknown>>(line: string): Promise<Data> {
  return (await typed.run<Data>(...line.split(' '))).data;
}

test('an operator manages endpoints and looks at their deliveries', async () => {
  const email = 'ada@example.org';
  await operator(`account create --email ${email}`);
  assert.deepEqual(await operator(`deliveries list --email ${email}`), []);
  await assert.rejects(
    operator(`webhook create --email ${email} --url https://10.0.0.1/ --events upload.ready`),
    /url: The URL does not lead to the public internet by https/,
  );
  await assert.rejects(
    operator(`webhook create --email ${email} --url https://8.8.8.8/ --events ping`),
    /--events is "ping", but it must be one of generation.succeeded/,
  );
  const { id, secret } = await operator<{ id: string; secret: string }>(
    `webhook create --email ${email} --url https://8.8.8.8/hook --events upload.ready,generation.failed`,
  );
  assert.deepEqual(await operator(`webhook reveal --id ${id}`), { id, secret });
  const fresh = await operator<{ secret: string }>(`webhook rotate --id ${id}`);
  assert.notEqual(fresh.secret, secret);
  await operator(`webhook pause --id ${id}`);
  const [listed] = await operator<Record<string, unknown>[]>(`webhook list --email ${email}`);
  assert.deepEqual(
    [listed?.['id'], listed?.['url'], listed?.['status'], listed?.['events']],
    [id, 'https://8.8.8.8/hook', 'paused', ['generation.failed', 'upload.ready']],
  );
  await operator(`webhook resume --id ${id}`);
  const ping = await operator<{ delivery_id: string }>(`webhook ping --id ${id}`);
  const [delivery] = await operator<Record<string, unknown>[]>(
    `deliveries list --email ${email} --endpoint ${id} --status pending`,
  );
  assert.deepEqual([delivery?.['id'], delivery?.['event_type']], [ping.delivery_id, 'ping']);
  assert.ok(delivery !== undefined && !('object' in delivery), 'commands say no kinds of objects');
  const shown = await operator(`deliveries show --id ${ping.delivery_id}`);
  assert.deepEqual([shown['attempts'], shown['attempt_history']], [0, []]);
  assert.match(String(shown['body']), /"type":"ping"/);
  await operator(`deliveries resend --id ${ping.delivery_id}`);
  const recovered = await operator(`deliveries recover --endpoint ${id} --since 2026-01-01`);
  assert.equal(recovered['resent'], 0);
  await operator(`webhook delete --id ${id}`);
  assert.deepEqual(await operator(`webhook list --email ${email}`), []);
  const [ended] = await operator<Record<string, unknown>[]>(
    `deliveries list --email ${email} --status ended`,
  );
  assert.equal(ended?.['id'], ping.delivery_id);
  for (const line of [`webhook ping --id ${id}`, 'deliveries show --id dlv_none'])
    await assert.rejects(operator(line), /There is no such (webhook endpoint|delivery)/);
});
