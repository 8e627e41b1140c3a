import assert from 'node:assert/strict';
import { test } from 'node:test';
import Stripe from 'stripe';
import { signatureHeader } from './sign.ts';

// Stripe's library verifies the same signature scheme and was written independently.
const { webhooks } = new Stripe('sk_test');

const secret = `whsec_${'s3cret'.repeat(5)}`;
const body = Buffer.from(JSON.stringify({ id: 'evt_1', object: 'event', data: { text: 'Grüße, 画' } }));
const toleranceSeconds = 300;
const now = () => Math.floor(Date.now() / 1000);

const check = (header: string, bytes = body, by = secret) =>
  webhooks.constructEvent(bytes, header, by, toleranceSeconds);

test('an independent implementation accepts what is signed', () => {
  const t = now();
  assert.equal(check(signatureHeader([secret], t, body)).id, 'evt_1');
  assert.match(signatureHeader([secret], t, body), /^t=\d{10},v1=[0-9a-f]{64}$/);
});

test('it refuses any flipped byte of body, time, signature or secret', () => {
  const header = signatureHeader([secret], now(), body);
  for (let i = 0; i < body.length; i++) {
    const flipped = Buffer.from(body);
    flipped[i] = (flipped[i] ?? 0) ^ 1;
    assert.throws(() => check(header, flipped), `byte ${i} of the body`);
  }
  for (let i = 0; i < header.length; i++) {
    const flipped = Buffer.from(header);
    flipped[i] = (flipped[i] ?? 0) ^ 1;
    assert.throws(() => check(flipped.toString('latin1')), `character ${i} of the header`);
  }
  for (let i = 0; i < secret.length; i++) {
    const flipped = Buffer.from(secret);
    flipped[i] = (flipped[i] ?? 0) ^ 1;
    assert.throws(() => check(header, body, flipped.toString('latin1')), `character ${i} of the secret`);
  }
});

test('it refuses a time more than 300 seconds old', () => {
  assert.ok(check(signatureHeader([secret], now() - 290, body)));
  assert.throws(() => check(signatureHeader([secret], now() - 310, body)));
});

test('with two secrets either of them verifies, and no third', () => {
  const header = signatureHeader([secret, 'whsec_old'], now(), body);
  assert.equal(header.split(',').length, 3);
  assert.ok(check(header));
  assert.ok(check(header, body, 'whsec_old'));
  assert.throws(() => check(header, body, 'whsec_other'));
});
