import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openDatabase } from '@renderkit/server-kit/db/database.ts';
import { createLogger } from '@renderkit/server-kit/process/logger.ts';
import { Registry } from 'prom-client';
import { createServer } from '../http/create-server.ts';
import { addHealthRoutes } from './routes.ts';

test('a part that cannot reach its database says that it is unavailable, and lives', async () => {
  // Nothing listens on the discard port.
  await using database = openDatabase({
    url: 'postgresql://studio@127.0.0.1:9/studio',
    poolSize: 1,
    applicationName: 'test',
  });
  await using app = createServer({
    log: createLogger({ part: 'test', level: 'silent' }),
    trustProxy: [],
  });
  addHealthRoutes(app, {
    database,
    storage: { check: () => Promise.resolve() },
    registry: new Registry(),
    host: '127.0.0.1',
    metricsToken: undefined,
    behindProxy: false,
    publicUrl: undefined,
  });
  const ready = await app.inject('/readyz');
  assert.equal(ready.statusCode, 503);
  assert.deepEqual(ready.json(), { status: 'unavailable', missing: ['database'] });
  assert.equal((await app.inject('/healthz')).statusCode, 200);
});
