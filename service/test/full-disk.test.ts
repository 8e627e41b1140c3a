import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { assertProblem } from './assert-problem.ts';
import { startTestService, type TestService } from './harness.ts';

let service: TestService;
before(async () => (service = await startTestService()));
after(() => service[Symbol.asyncDispose]());

/** PostgreSQL's errors when it cannot write: no space, a broken disk, a disk that became read-only, a standby. */
const refusals = [
  ['53100', 'could not extend file "base/1/2": No space left on device'],
  ['58030', 'could not write block 7 of file "base/1/2": Input/output error'],
  ['42501', 'could not open file "base/1/2": Read-only file system'],
  ['25006', 'cannot execute INSERT in a read-only transaction'],
] as const;

for (const [state, message] of refusals)
  test(`a create that the database cannot write (${state}) fails as with the database away, and charges nothing`, async () => {
    const key = await service.createKey();
    const create = () =>
      service.ask('/v1/images/generations', {
        key,
        body: { model: 'plain', prompt: `a lake, ${state}` },
        headers: { 'idempotency-key': state },
      });
    await service.database.rows(
      `create function refuse() returns trigger language plpgsql as
       $$ begin raise exception using errcode = '${state}', message = '${message}'; end $$`,
    );
    await service.database.rows(
      'create trigger refuse before insert on generations for each row execute function refuse()',
    );
    const refused = await create();
    assertProblem(refused, 'internal_error', state);
    assert.ok(Number(refused.headers.get('retry-after')) >= 1, 'no Retry-After');
    assert.doesNotMatch(refused.text, /file|space|disk|read-only/i);
    await service.database.rows('drop function refuse() cascade');
    const { body } = await service.ask<{ data: unknown[] }>(`/v1/generations`, { key });
    const listed = body.data.length;
    // A client should retry with the same key; the result is only one generation.
    assert.equal((await create()).status, 202);
    const later = await service.ask<{ data: unknown[] }>(`/v1/generations`, { key });
    assert.equal(later.body.data.length, listed + 1);
  });
