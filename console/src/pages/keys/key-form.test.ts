import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { ApiKey } from '@renderkit/contract/console/schemas/key.ts';
import { changesOf, emptyKey, formOf, toRequest } from './key-form.ts';

const key: ApiKey = {
  id: 'key_1',
  object: 'api_key',
  name: 'Server',
  prefix: 'rk_live_abc',
  status: 'active',
  scopes: ['read'],
  daily_budget: 50,
  spent_today: 0,
  rate_limit: 120,
  confirm_above: 25,
  queued: 0,
  created_at: '2026-01-01T00:00:00Z',
  expires_at: null,
  revoked_at: null,
  last_used_at: null,
};

test('a new key has every scope, no budget, no end and the ordinary rate unless somebody says otherwise', () => {
  assert.deepEqual(toRequest({ ...emptyKey, name: ' Server ' }), {
    name: 'Server',
    scopes: ['read', 'generate', 'uploads', 'projects', 'library'],
    daily_budget: null,
    confirm_above: 25,
  });
  assert.deepEqual(toRequest({ name: 'a', scopes: ['read'], days: 30, budget: 0, rate: 60, confirm: '' }), {
    name: 'a',
    scopes: ['read'],
    expires_in_days: 30,
    daily_budget: 0,
    rate_limit: 60,
    confirm_above: null,
  });
});

test('an edit sends what was changed and nothing else', () => {
  assert.deepEqual(changesOf(key, formOf(key)), {});
  assert.deepEqual(changesOf(key, { ...formOf(key), budget: '' }), { daily_budget: null });
  assert.deepEqual(changesOf(key, { ...formOf(key), confirm: 0 }), { confirm_above: 0 });
  assert.deepEqual(changesOf(key, { name: 'Other', budget: 50, rate: 60, confirm: 25 }), {
    name: 'Other',
    rate_limit: 60,
  });
});
