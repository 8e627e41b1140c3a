import assert from 'node:assert/strict';
import { createHmac } from 'node:crypto';
import { test } from 'node:test';
import { verify } from './webhooks.ts';

const secret = 'whsec_0123456789abcdefghij';
const body = JSON.stringify({ id: 'evt_1', object: 'event', type: 'ping', data: { message: 'ö' } });
const now = () => 1_800_000_000_000;

function sign(time = 1_800_000_000, by = secret, text = body): string {
  return `v1=${createHmac('sha256', by).update(`${time}.${text}`).digest('hex')}`;
}

test('a right signature gives the event, from bytes, text and requests alike', async () => {
  const headers = { 'Service-Signature': `t=1800000000,${sign()}` };
  const request = new Request('http://test/', { method: 'POST', body, headers });
  assert.equal((await verify(secret, request, { now })).id, 'evt_1');
  assert.equal((await verify(secret, body, headers, { now })).id, 'evt_1');
  const bytes = new TextEncoder().encode(body);
  assert.equal(
    (await verify(secret, bytes, { 'service-signature': [headers['Service-Signature']] }, { now })).id,
    'evt_1',
  );
});

test('after a rotation either of two signatures will do', async () => {
  const both = `t=1800000000,${sign(undefined, 'whsec_old')},${sign()}`;
  assert.equal((await verify(secret, body, { 'service-signature': both }, { now })).id, 'evt_1');
});

test('whatever is wrong with a signature is refused', async () => {
  const wrong = {
    'another secret': `t=1800000000,${sign(undefined, 'whsec_old')}`,
    'another body': `t=1800000000,${sign(undefined, secret, `${body} `)}`,
    'another time': `t=1800000001,${sign()}`,
    'too old': `t=1799999699,${sign(1_799_999_699)}`,
    'too new': `t=1800000301,${sign(1_800_000_301)}`,
    'no time': sign(),
    'no signature': 't=1800000000',
    'half a signature': `t=1800000000,${sign().slice(0, 40)}`,
    nothing: '',
  };
  for (const [name, value] of Object.entries(wrong)) {
    const refused = verify(secret, body, { 'Service-Signature': value }, { now });
    await assert.rejects(refused, { code: 'invalid_signature' }, name);
  }
  await assert.rejects(verify(secret, body, {}, { now }), { code: 'invalid_signature' });
});

test('exactly 300 seconds are still taken', async () => {
  const header = { 'Service-Signature': `t=1799999700,${sign(1_799_999_700)}` };
  assert.equal((await verify(secret, body, header, { now })).id, 'evt_1');
});
