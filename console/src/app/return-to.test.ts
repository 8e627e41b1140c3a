import assert from 'node:assert/strict';
import { test } from 'node:test';
import { returnTo, signInAddress } from './return-to.ts';

test('signing in leads back to the page that was asked for', () => {
  assert.equal(returnTo('/console/keys'), '/console/keys');
  assert.equal(returnTo('/console/deliveries?status=failed'), '/console/deliveries?status=failed');
  assert.equal(
    signInAddress('/console/keys?a=b'),
    '/console/auth/sign-in?return_to=%2Fconsole%2Fkeys%3Fa%3Db',
  );
});

test('signing in leads to no place outside the console, nor back to signing in', () => {
  for (const value of [
    undefined,
    '',
    'https://evil.example',
    '//evil.example',
    '/console//evil.example',
    '/console/../docs',
    '/consoles',
    '/console\\evil',
    '/console/auth/sign-in',
    '/console/sign-in?return_to=x',
    'javascript:alert(1)',
  ])
    assert.equal(returnTo(value), '/console', value);
});
