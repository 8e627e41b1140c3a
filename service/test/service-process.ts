import type { ChildProcess } from 'node:child_process';
import path from 'node:path';
import { createTestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { startPart } from '@renderkit/server-kit/testing/part.ts';
import { connectAccount, createKey } from '../src/operator.ts';
import { type ScriptedStudio, startScriptedStudio } from './scripted-studio.ts';

export type ServiceProcess = AsyncDisposable & {
  url: string;
  key: string;
  studio: ScriptedStudio;
  child: ChildProcess;
};

/**
 * Starts the service as a separate process, so that its memory and time can be measured alone. Its scripted studio has
 * one account with credits for everything. `entry` is relative to this file.
 */
export async function startServiceProcess(entry = '../src/main.ts'): Promise<ServiceProcess> {
  await using owned = new AsyncDisposableStack();
  const db = owned.use(await createTestDatabase('service'));
  const studio = owned.use(await startScriptedStudio());
  studio.balance.lifetime_millicredits = 1_000_000_000;
  const secretKey = Buffer.alloc(32, 5);
  const { accountId } = await connectAccount(db.database, secretKey, {
    studioId: studio.studioId,
    studioAccountId: studio.account.id,
    email: null,
    refreshToken: studio.newSession(),
  });
  const { key } = await createKey(db.database, { accountId, name: 'test', rateLimitPerMinute: 100_000 });
  const part = owned.use(
    await startPart({
      name: 'service',
      entry: path.join(import.meta.dirname, entry),
      environment: {
        DATABASE_URL: db.url,
        STUDIO_URL: studio.url,
        STUDIO_CLIENT_ID: 'service',
        STUDIO_CLIENT_SECRET: 'a secret',
        SECRET_KEY: secretKey.toString('hex'),
        PORT: '0',
        LOG_LEVEL: 'silent',
      },
    }),
  );
  const ours = owned.move();
  return {
    url: part.url,
    key,
    studio,
    child: part.process,
    [Symbol.asyncDispose]: () => ours.disposeAsync(),
  };
}
