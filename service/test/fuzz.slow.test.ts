import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { after, before, test } from 'node:test';
import { operations } from '@renderkit/contract/v1/operations.ts';
import type { Operation } from '@renderkit/contract/v1/operation.ts';
import { assertProblem } from './assert-problem.ts';
import { createRandom } from '@renderkit/server-kit/testing/random.ts';
import { soaking } from '@renderkit/server-kit/testing/soak.ts';
import { buildRequest } from './build-request.ts';
import { startTestService, type TestService } from './harness.ts';
import { validatorOf } from './validators.ts';

const total = Number(process.env['FUZZ_REQUESTS'] ?? (soaking ? 5_000 : 1_000));
const seed = Number(process.env['FUZZ_SEED'] ?? randomInt(2 ** 31));
const atOnce = 16;

let service: TestService;
before(async () => (service = await startTestService()));
after(() => service[Symbol.asyncDispose]());

test(`${total} requests built from the schemas get answers of their schemas or valid problems (seed ${seed})`, async (context) => {
  context.diagnostic(`FUZZ_SEED=${seed} builds the same requests again`);
  const random = createRandom(seed);
  const keys = [
    await service.createKey(),
    await service.createKey(),
    await service.createKey({ scopes: ['read'] }),
  ];
  const known = [
    await service.addGeneration(),
    await service.addGeneration({ status: 'failed' }),
    'plain',
    'prj_1',
    'lib_1',
  ];
  const seen = new Map<string, number>();

  const askOne = async () => {
    const built = buildRequest(random, operations, known);
    const key = random() < 0.02 ? undefined : keys[Math.floor(random() * keys.length)];
    const what = JSON.stringify(built).slice(0, 600);
    const answer = await service.ask(built.path, {
      key,
      method: built.method,
      headers: built.headers,
      body: built.method === 'GET' ? undefined : built.body,
    });
    const { status, code = '' } = { status: answer.status, code: (answer.body as { code?: string }).code };
    seen.set(`${status} ${code}`, (seen.get(`${status} ${code}`) ?? 0) + 1);
    assert.ok(status < 500, `${what} → ${answer.text}`);
    if (status >= 400) return assertProblem(answer, undefined, what);
    const operation: Operation = operations[built.operationId];
    // A request with another method called another operation.
    if (built.method !== operation.method) return undefined;
    assert.equal(status, operation.response.status, what);
    const validate = validatorOf(operations[built.operationId].response.schema);
    assert.ok(validate(answer.body), `${what} → ${answer.text} ${JSON.stringify(validate.errors)}`);
    return undefined;
  };

  let left = total;
  const work = async () => {
    while (left-- > 0) await askOne();
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  context.diagnostic(
    [...seen]
      .sort(([a], [b]) => a.localeCompare(b))
      .map(([what, count]) => `${what}: ${count}`)
      .join(' · '),
  );
  const good = [...seen].filter(([what]) => what.startsWith('2')).reduce((sum, [, count]) => sum + count, 0);
  assert.ok(good > total / 10, 'the near-valid half is not near enough');
  assert.doesNotMatch(service.logged.join('\n'), /a request failed/);
});
