import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deliveriesSearch } from './search.ts';

test('an address keeps the filters of deliveries that there are, and nothing else', () => {
  const search = deliveriesSearch({
    status: 'failed',
    event_type: 'ping',
    endpoint_id: 'whk_1',
    page: '2',
    x: 'y',
  });
  assert.deepEqual(
    { ...search },
    { endpoint_id: 'whk_1', event_id: undefined, event_type: 'ping', status: 'failed', page: 2 },
  );
  const none = deliveriesSearch({ status: 'lost', event_type: '', page: '1', endpoint_id: 'x'.repeat(300) });
  assert.ok(Object.values(none).every((value) => value === undefined));
});
