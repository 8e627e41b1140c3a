import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hashPassword, verifyPassword } from './password.ts';

test('a password is verified by its hash alone, and two hashes of it differ', async () => {
  const hash = await hashPassword('pässword');
  assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.notEqual(hash, await hashPassword('pässword'));
  assert.equal(await verifyPassword('pässword', hash), true);
  assert.equal(await verifyPassword('password', hash), false);
  assert.equal(await verifyPassword('', hash), false);
  assert.equal(await verifyPassword('pässword', 'no hash'), false);
});
