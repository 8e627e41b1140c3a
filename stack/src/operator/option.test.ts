import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  choice,
  email,
  list,
  millicredits,
  readValues,
  required,
  text,
  time,
  trueOrFalse,
  wholeNumber,
} from './option.ts';

const options = {
  email: required(email),
  name: text('N'),
  tier: choice(['free', 'plus']),
  scopes: list(['read', 'generate']),
  credits: millicredits,
  suspended: trueOrFalse,
  'rate-limit': wholeNumber({ min: 1, max: 1000 }),
};
const read = (...argv: string[]) => readValues('account test', options, argv);

test('values arrive read, and those not given as undefined', () => {
  const values = read(
    '--email',
    'a@b.org',
    '--credits=12.5',
    '--scopes',
    'read, generate',
    '--suspended',
    'false',
    '--rate-limit',
    '7',
  );
  assert.deepEqual(values, {
    email: 'a@b.org',
    name: undefined,
    tier: undefined,
    scopes: ['read', 'generate'],
    credits: 12_500,
    suspended: false,
    'rate-limit': 7,
  });
});

test('a time is read with its offset, and without one as UTC', () => {
  const since = (value: string) => readValues('test', { since: required(time) }, ['--since', value]).since;
  assert.equal(since('2026-11-21T08:00+02:00'), '2026-11-21T06:00:00.000Z');
  assert.equal(since('2026-11-21T08:00:30'), '2026-11-21T08:00:30.000Z');
  assert.equal(since('2026-11-21'), '2026-11-21T00:00:00.000Z');
  for (const value of ['yesterday', '2026-13-01', '21.11.2026', '2026-11-21T25:00Z'])
    assert.throws(() => since(value), /--since is .*, but it must be a time such as/);
});

for (const [argv, sentence] of [
  [[], 'account test needs --email E: see --help.'],
  [['--email', 'nobody'], '--email is "nobody", but it must be an e-mail address.'],
  [['--email', 'a@b.org', '--tier', 'gold'], '--tier is "gold", but it must be one of free, plus.'],
  [
    ['--email', 'a@b.org', '--credits', '1.0005'],
    '--credits is "1.0005", but it must be a number of credits, with three decimals at most.',
  ],
  [['--email', 'a@b.org', '--credits', '-1'], /--credits/],
  [
    ['--email', 'a@b.org', '--rate-limit', '0'],
    '--rate-limit is "0", but it must be a whole number from 1 to 1000.',
  ],
  [['--email', 'a@b.org', '--scopes', 'read,fly'], /--scopes is "read,fly", but it must be one of/],
  [['--mail', 'a@b.org'], /^account test: Unknown option '--mail'; see --help\.$/],
  [['--email', 'a@b.org', 'stray'], /^account test: Unexpected argument 'stray'/],
] as const)
  test(`one sentence refuses ${JSON.stringify(argv)}`, () => {
    assert.throws(
      () => read(...argv),
      typeof sentence === 'string' ? { message: sentence } : { message: sentence },
    );
  });
