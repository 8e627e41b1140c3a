import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createLogger } from '@renderkit/server-kit/process/logger.ts';
import { until } from '@renderkit/server-kit/testing/until.ts';
import { startTestStudio } from './harness.ts';

test('connections that the database ends are logged without what they know', async () => {
  const lines: string[] = [];
  const log = createLogger({
    part: 'studio',
    level: 'debug',
    destination: { write: (line) => lines.push(line) },
  });
  await using studio = await startTestStudio({ worker: false, testArguments: { log } });
  // The connections of the studio, its listener and its job queue.
  const ended = await studio.database.rows(
    `select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()`,
  );
  assert.ok(ended.length >= 3);
  await until('three lines', () => lines.filter((line) => line.includes('57P01')).length >= 3);
  const logged = lines.filter((line) => line.includes('"err"'));
  assert.ok(logged.length >= 3, lines.join());
  for (const line of logged) {
    const { err } = JSON.parse(line) as { err: object };
    assert.deepEqual(
      Object.keys(err).filter((name) => !['type', 'message', 'code', 'stack', 'cause'].includes(name)),
      [],
    );
  }
  assert.doesNotMatch(lines.join(), /secretKey|processID|_events|connectionParameters|"password"/);
});
