import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createPasswordChecks, PasswordChecksBusy } from './hash-limiter.ts';

test('a burst of passwords is looked at in turn, and past a hundred waiting ones refused', async () => {
  const checks = createPasswordChecks();
  const tries = await Promise.allSettled(
    Array.from({ length: 110 }, () => checks.verify('a password', undefined)),
  );
  const refused = tries.filter(({ status }) => status === 'rejected');
  assert.equal(refused.length, 8);
  for (const { reason } of refused as PromiseRejectedResult[])
    assert.ok(reason instanceof PasswordChecksBusy);
  assert.equal(await checks.verify('a password', await checks.hash('a password')), true);
  assert.equal(await checks.verify('another', await checks.hash('a password')), false);
});
