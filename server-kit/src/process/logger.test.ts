import assert from 'node:assert/strict';
import { test } from 'node:test';
import pg from 'pg';
import { openDatabase } from '../db/database.ts';
import { createTestDatabase } from '../testing/database.ts';
import { until } from '../testing/until.ts';
import { createLogger } from './logger.ts';

/** Creates a logger and keeps its lines. */
function keepLines() {
  const lines: string[] = [];
  const log = createLogger({
    part: 'test',
    level: 'trace',
    destination: { write: (line) => lines.push(line) },
  });
  const parsed = () => lines.map((line) => JSON.parse(line) as Record<string, unknown>);
  return { log, lines, parsed };
}

/** Properties of a connection object that no log line may contain. */
const secretsOfConnections = /secretKey|processID|_events|connectionParameters|saslSession|"password"/;

test('an idle connection that breaks is logged without the connection, its cancel key and its password', async () => {
  await using db = await createTestDatabase('empty');
  const { log, lines, parsed } = keepLines();
  await using broken = openDatabase({
    url: db.url,
    applicationName: 'broken',
    poolSize: 1,
    // Logs everything that the pool passes, as any caller may do.
    onIdleError: (error) => log.warn({ err: error, error, nested: { cause: error } }, 'a connection broke'),
  });
  await broken.rows('select 1');
  await db.database.rows(
    `select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'broken' and datname = current_database()`,
  );
  await until('a line', () => lines.length > 0);
  const [line] = parsed();
  const err = line?.['err'] as Record<string, unknown>;
  assert.deepEqual(Object.keys(err).sort(), ['code', 'message', 'stack', 'type']);
  assert.equal(err['code'], '57P01');
  assert.doesNotMatch(lines.join(), secretsOfConnections);
});

test('objects that a program works with are named in a line and not written out', async () => {
  await using db = await createTestDatabase('empty');
  const client = new pg.Client({ connectionString: db.url });
  await client.connect();
  try {
    const { log, lines, parsed } = keepLines();
    log.error({ client, list: [client], deep: { client } }, 'whole objects');
    log.error(Object.assign(new Error('bare'), { client }));
    log.error({ err: client }, 'no error at all');
    const [first, second, third] = parsed();
    assert.equal(first?.['client'], '[Client]');
    assert.deepEqual(first?.['list'], ['[Client]']);
    assert.deepEqual(first?.['deep'], { client: '[Client]' });
    assert.deepEqual(Object.keys(second?.['err'] as object).sort(), ['message', 'stack', 'type']);
    assert.equal(third?.['err'], '[Client]');
    assert.doesNotMatch(lines.join(), secretsOfConnections);
  } finally {
    await client.end();
  }
});

test('an error is logged with its type, code, stack and causes, and nothing that hangs on it', () => {
  const { log, parsed } = keepLines();
  class Broken extends Error {}
  const inner = Object.assign(new Error('inner'), { code: 'ECONNRESET', socket: { secret: 1 } });
  const circle = new Broken('outer', { cause: inner });
  inner.cause = circle;
  log.error({ err: circle, at: new Date(0), count: 2, missing: undefined, text: 'x', none: null }, 'failed');
  log.error({ err: new AggregateError([new Error('first'), new Error('second')], '') }, 'several');
  const [line, several] = parsed();
  const err = line?.['err'] as { type: string; message: string; cause: Record<string, unknown> };
  assert.equal(err.type, 'Broken');
  assert.equal(err.message, 'outer');
  assert.equal(err.cause['code'], 'ECONNRESET');
  assert.equal(err.cause['socket'], undefined);
  assert.equal(line?.['at'], '1970-01-01T00:00:00.000Z');
  assert.deepEqual([line['count'], line['text'], line['none']], [2, 'x', null]);
  const both = several?.['err'] as { cause: { message: string }[] } | undefined;
  assert.deepEqual(
    both?.cause.map(({ message }) => message),
    ['first', 'second'],
  );
});
