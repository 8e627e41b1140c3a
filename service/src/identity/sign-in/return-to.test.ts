import assert from 'node:assert/strict';
import { test } from 'node:test';
import { returnTo } from './return-to.ts';

test('a page of the console is gone back to', () => {
  for (const page of [
    '/console',
    '/console/',
    '/console/keys',
    '/console/generations/gen_1?status=failed&page=2#top',
    '/console?days=7',
    '/console/library?search=a%20sea%2Fside',
  ])
    assert.equal(returnTo(page), page);
});

test('everything else becomes the first page', () => {
  for (const elsewhere of [
    undefined,
    '',
    '/',
    '//evil.example',
    '//evil.example/console',
    '/\\evil.example',
    '\\\\evil.example',
    '/console\\..\\..\\evil',
    'https://evil.example/console',
    'HTTPS:evil.example',
    'javascript:alert(1)',
    'data:text/html,x',
    '/consoleevil',
    '/console@evil.example',
    '/console.evil.example',
    '/console/../..',
    '/console/../evil',
    '/console/%2e%2e/evil',
    '/console/.%2E/%2e./evil',
    '/console/..%2f..%2fevil',
    '/console/%2f%2fevil.example',
    '/console/%5cevil.example',
    '/console/%252e%252e/evil',
    '/console//evil.example',
    '/console/\tkeys',
    '/console/keys\r\nset-cookie: a=b',
    '/console/%0d%0aset-cookie:a',
    ' /console',
    '/console/é',
    '/console/api/keys',
    '/console/auth/sign-in?return_to=/console/auth/sign-in',
    '/console/sign-in',
    '/console/sign-in-failed?reason=denied',
    '/console/signed-out',
    `/console/${'x'.repeat(1_000)}`,
    `/console?${'"'.repeat(400)}`,
    '/v1/account',
    '/docs',
  ])
    assert.equal(returnTo(elsewhere), '/console', String(elsewhere));
});
