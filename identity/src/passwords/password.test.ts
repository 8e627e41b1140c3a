import assert from 'node:assert/strict';
import { test } from 'node:test';
import { generatePassword, hashPassword, verifyPassword } from './password.ts';

test('a password is verified by its hash alone, and two hashes of it differ', async () => {
  const hash = await hashPassword('pässword');
  assert.match(hash, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.notEqual(hash, await hashPassword('pässword'));
  assert.equal(await verifyPassword('pässword', hash), true);
  assert.equal(await verifyPassword('password', hash), false);
  assert.equal(await verifyPassword('', hash), false);
  assert.equal(await verifyPassword('pässword', 'no hash'), false);
});

test('passwords that are made up can be read out, and are never the same', () => {
  const made = new Set(Array.from({ length: 200 }, generatePassword));
  assert.equal(made.size, 200);
  for (const password of made) assert.match(password, /^[a-hjkmnp-z2-9]{5}(?:-[a-hjkmnp-z2-9]{5}){3}$/);
});
