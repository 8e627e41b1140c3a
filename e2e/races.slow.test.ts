import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, test } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import * as serviceOperator from '@renderkit/service/operator.ts';
import * as studioOperator from '@renderkit/studio/operator.ts';
import { createClient, untilEnded } from './harness/client.ts';
import {
  type NewAccount,
  type NewKey,
  type Platform,
  startPlatform,
} from '@renderkit/stack/testing/platform.ts';

// Tests two service processes on one database, with the real studio and a real worker.
describe('races on two service processes', () => {
  let platform: Platform;

  before(async () => {
    platform = await startPlatform({ services: 2 });
  });
  after(() => platform[Symbol.asyncDispose]());

  const person = async (account: NewAccount = {}, key: NewKey = {}) => {
    const who = await platform.createAccount(account);
    const secret = await platform.createKey(who, key);
    const [one, two] = platform.serviceUrls.map((url) => createClient(url, secret));
    return { who, secret, one: one!, two: two! };
  };
  const charges = async (studioAccountId: string) =>
    platform.databases.studio.rows<{ token: string; kind: string; amount: number }>(
      `select token, kind, amount_millicredits as amount from ledger where account_id = $1 and token is not null order by seq`,
      [studioAccountId],
    );

  test('100 creates at once with one Idempotency-Key are one generation and one charge', async () => {
    const { who, one, two } = await person();
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_, i) => (i % 2 === 0 ? one : two).create({}, 'the-same-wish')),
    );
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([202]));
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1, 'every answer is the same text');
    assert.equal(answers.filter(({ headers }) => headers.get('idempotent-replayed') === null).length, 1);
    const id = answers[0]!.body.id;
    await untilEnded(two, [id]);
    assert.deepEqual(await charges(who.studioAccountId), [{ token: id, kind: 'charge', amount: -1000 }]);
    const other = await one.create({ prompt: 'another wish' }, 'the-same-wish');
    assert.deepEqual([other.status, other.body.code], [409, 'conflict']);
  });

  test('the id of a create is in the log lines of service, studio and worker', async () => {
    const { one } = await person();
    const { headers, body } = await one.create({ prompt: 'a line to follow' });
    const requestId = headers.get('x-request-id');
    await untilEnded(one, [body.id]);
    const follow = async (part: string, message: string) => {
      for (;;) {
        const text = await readFile(path.join(platform.directory, 'logs', `${part}.log`), 'utf8');
        const lines = text.split('\n').flatMap((line) => {
          try {
            return [JSON.parse(line) as Record<string, unknown>];
          } catch {
            return [];
          }
        });
        const line = lines.find((each) => each['request_id'] === requestId && each['msg'] === message);
        if (line !== undefined) return line;
        await sleep(50);
      }
    };
    const accepted = await follow('service-0', 'a generation is accepted');
    assert.deepEqual([accepted['generation'], accepted['level']], [body.id, 'info']);
    const submitted = await follow('studio', 'a render is accepted');
    assert.deepEqual([submitted['token'], submitted['level']], [body.id, 'info']);
    for (const message of ['a submission is begun', 'a render has ended']) {
      const drawn = await follow('worker-0', message);
      assert.deepEqual([drawn['token'], drawn['render']], [body.id, submitted['render']]);
    }
  });

  test('200 creates against a daily budget of seven are seven', async () => {
    const { one, two } = await person({}, { dailyBudget: 7 });
    const answers = await Promise.all(
      Array.from({ length: 200 }, (_, i) => (i % 2 === 0 ? one : two).create({ prompt: `wish ${i}` })),
    );
    assert.equal(answers.filter(({ status }) => status === 202).length, 7);
    assert.equal(answers.filter(({ body }) => body.code === 'budget_exceeded').length, 193);
  });

  test('a key revoked on one process is refused on the other, also while it waits', async () => {
    const { one, two } = await person();
    const { secret, who } = await person();
    const waiting = createClient(platform.serviceUrls[1]!, secret);
    // Nothing renders it, because the account's limit is 0.
    await platform.databases.studio.rows('update accounts set limit_overall = 0 where id = $1', [
      who.studioAccountId,
    ]);
    const { body } = await waiting.create();
    const poll = waiting.read(body.id, 30);
    await sleep(300);
    const account = await serviceOperator.findAccountByEmail(platform.databases.service, who.email);
    const [key] = await serviceOperator.listKeys(platform.databases.service, account!.id);
    await serviceOperator.revokeKey(platform.databases.service, key!.id);
    assert.equal((await waiting.read(body.id)).status, 401);
    assert.equal((await createClient(platform.serviceUrls[0]!, secret).read(body.id)).status, 401);
    assert.equal((await poll).status, 401);
    assert.equal((await one.create()).status, 202);
    assert.equal((await two.create()).status, 202);
  });

  test('credits for just so many jobs are enough for just so many', async () => {
    const { one, two } = await person({ credits: 12 });
    const accepted: string[] = [];
    for (let i = 0; i < 12; i++) {
      const answer = await (i % 2 === 0 ? one : two).create({ prompt: `wish ${i}` });
      assert.equal(answer.status, 202, `wish ${i}: ${answer.text}`);
      accepted.push(answer.body.id);
    }
    assert.deepEqual(
      [(await one.create()).body.code, (await two.create()).body.code],
      ['insufficient_credits', 'insufficient_credits'],
    );
    const ended = await untilEnded(one, accepted);
    assert.deepEqual(new Set(ended.map(({ status }) => status)), new Set(['succeeded']));
    assert.equal(await two.balance(), 0);
  });

  test('cancel against dispatch: canceled and never seen by the studio, or 409 and rendered', async () => {
    const { who, one, two } = await person();
    const outcomes = await Promise.all(
      Array.from({ length: 30 }, async (_, i) => {
        const { body } = await one.create({ prompt: `wish ${i}` });
        await sleep(i % 7);
        return { id: body.id, canceled: (await two.cancel(body.id)).status };
      }),
    );
    const ended = await untilEnded(
      one,
      outcomes.map(({ id }) => id),
    );
    const charged = new Set((await charges(who.studioAccountId)).map(({ token }) => token));
    ended.forEach(({ id, status, submitted_at }, i) => {
      const won = outcomes[i]!.canceled === 200;
      assert.ok(won || outcomes[i]!.canceled === 409, `cancel answered ${outcomes[i]!.canceled}`);
      assert.equal(status, won ? 'canceled' : 'succeeded');
      assert.equal(charged.has(id), !won);
      assert.equal(submitted_at === null, won);
    });
  });

  test('limits lowered while jobs run are never exceeded, in a lane or overall', async () => {
    const { who, one, two } = await person();
    const ids: string[] = [];
    for (let i = 0; i < 24; i++)
      ids.push((await (i % 2 === 0 ? one : two).create({ prompt: `wish ${i}` })).body.id);
    await platform.databases.studio.rows('update accounts set limit_image = 2 where id = $1', [
      who.studioAccountId,
    ]);
    const [{ floor }] = (await platform.databases.studio.rows<{ floor: number }>(
      'select change_seq as floor from accounts where id = $1',
      [who.studioAccountId],
    )) as [{ floor: number }];
    await untilEnded(one, ids);
    const moves = await platform.databases.studio.rows<{ seq: number; token: string; status: string }>(
      `select seq, token, render->>'status' as status from changes where account_id = $1 order by seq`,
      [who.studioAccountId],
    );
    const running = new Set<string>();
    for (const { seq, token, status } of moves) {
      const starts = !running.has(token) && (status === 'queued' || status === 'running');
      if (status === 'succeeded' || status === 'failed') running.delete(token);
      else running.add(token);
      // Generations that ran before the limit fell may continue. None may start beyond the limit.
      if (starts)
        assert.ok(running.size <= (seq > floor ? 2 : 4), `${running.size} at once at change ${seq}`);
    }
  });

  test('work that runs elsewhere on the account takes its share of the places', async () => {
    const { who, one } = await person({ tier: 'free', credits: 20 });
    await platform.databases.studio.rows(
      `insert into renders (id, account_id, token, client_id, status, kind, lane, model, request, prompt_id,
         cost_millicredits, ledger_seq, expected_outputs)
       values ('rnd_elsewhere', $1, 'web-1', 'web', 'running', 'image', 'image', 'sketch-1', '{}', 'prm_1', 0, 0, 1)`,
      [who.studioAccountId],
    );
    const { body } = await one.create();
    await sleep(1_500);
    assert.equal((await one.read(body.id)).body.status, 'queued', 'the only place is taken by somebody else');
    const limits = (
      await one.call<{ image: { limit: number; running: number; queued: number } }>(
        'GET',
        '/v1/account/limits',
      )
    ).body;
    assert.deepEqual(limits.image, { limit: 1, running: 1, queued: 1 });
    await platform.databases.studio.rows(
      `update renders set status = 'succeeded', completed_at = clock() where id = 'rnd_elsewhere'`,
    );
    const [ended] = await untilEnded(one, [body.id]);
    assert.equal(ended?.status, 'succeeded');
  });

  test('a job whose token somebody tombstones at the studio fails within seconds, refunded, with one event', async () => {
    const { who, one, two } = await person();
    const before_ = await one.balance();
    // There is no free slot: the job would wait for a day.
    await platform.databases.studio.rows('update accounts set limit_overall = 0 where id = $1', [
      who.studioAccountId,
    ]);
    const { body } = await one.create();
    const [row] = await platform.databases.studio.rows<{ outcome: string }>(
      `select outcome from tombstone_render($1, $2, 'web', 'rnd_barred')`,
      [who.studioAccountId, body.id],
    );
    assert.equal(row?.outcome, 'barred');
    const [ended] = await untilEnded(two, [body.id]);
    assert.deepEqual(
      [ended?.status, ended?.error],
      ['failed', { code: 'render_lost', message: 'The studio would not take this render.' }],
    );
    assert.equal(await two.balance(), before_);
    assert.deepEqual(await charges(who.studioAccountId), []);
    const events = await platform.databases.service.rows<{ type: string }>(
      'select type from events where subject_id = $1',
      [body.id],
    );
    assert.deepEqual(events, [{ type: 'generation.failed' }]);
  });

  test('the books balance after all that', async () => {
    assert.deepEqual(await studioOperator.checkLedger(platform.databases.studio), []);
  });
});
