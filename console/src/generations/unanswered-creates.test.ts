import assert from 'node:assert/strict';
import { afterEach, beforeEach, mock, test } from 'node:test';
import type * as Unanswered from './unanswered-creates.ts';

const before = Object.getOwnPropertyDescriptor(globalThis, 'sessionStorage');
const store = new Map<string, string>();
let room = Number.POSITIVE_INFINITY;
const storage = {
  getItem: (key: string) => store.get(key) ?? null,
  removeItem: (key: string) => void store.delete(key),
  setItem: (key: string, value: string) => {
    if (value.length > room) throw new DOMException('full', 'QuotaExceededError');
    store.set(key, value);
  },
};

beforeEach(() => {
  store.clear();
  room = Number.POSITIVE_INFINITY;
  Object.defineProperty(globalThis, 'sessionStorage', { value: storage, configurable: true });
});
afterEach(() => {
  mock.timers.reset();
  if (before === undefined) Reflect.deleteProperty(globalThis, 'sessionStorage');
  else Object.defineProperty(globalThis, 'sessionStorage', before);
});

let loads = 0;
/** Loads the module as a newly loaded page does. */
const loaded = async () => (await import(`./unanswered-creates.ts?load=${++loads}`)) as typeof Unanswered;

const rest = (asked: string): Unanswered.Rest => ({
  asked,
  left: [{ path: '/v1/images/generations', body: { prompt: asked }, key: `key of ${asked}` }],
  made: ['gen_1'],
});

test('What got no answer keeps its keys over a reload, for its account alone, until it is answered', async () => {
  const first = await loaded();
  first.keepRest('acc', rest('a lake'));
  first.keepRest('acc', rest('a sea'));
  const second = await loaded();
  assert.deepEqual(second.restOf('acc', 'a lake')?.left, rest('a lake').left);
  assert.deepEqual(second.restOf('acc', 'a lake')?.made, ['gen_1']);
  assert.equal(second.restOf('acc', 'a hill'), undefined);
  assert.equal(second.restOf('other', 'a lake'), undefined);
  second.forgetRest('acc', 'a lake');
  const third = await loaded();
  assert.equal(third.restOf('acc', 'a lake'), undefined);
  assert.equal(third.restOf('acc', 'a sea')?.left[0]?.key, 'key of a sea');
});

test('After an hour the same request is another one', async () => {
  mock.timers.enable({ apis: ['Date'] });
  const page = await loaded();
  page.keepRest('acc', rest('a lake'));
  mock.timers.tick(59 * 60_000);
  assert.ok(page.restOf('acc', 'a lake'));
  mock.timers.tick(61_000);
  assert.equal(page.restOf('acc', 'a lake'), undefined);
});

test('What a browser does not keep is known until the reload, and nothing older comes back then', async () => {
  const page = await loaded();
  page.keepRest('acc', rest('a lake'));
  room = 10;
  page.keepRest('acc', { ...rest('a lake'), made: ['gen_1', 'gen_2'] });
  assert.deepEqual(page.restOf('acc', 'a lake')?.made, ['gen_1', 'gen_2']);
  const next = await loaded();
  assert.equal(next.restOf('acc', 'a lake'), undefined);
});
