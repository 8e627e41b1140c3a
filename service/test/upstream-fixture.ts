import type { Database } from '@renderkit/server-kit/db/database.ts';
import { createLogger } from '@renderkit/server-kit/process/logger.ts';
import { connectAccount } from '../src/studio-client/connect-account.ts';
import { createStudioClient, type StudioClient } from '../src/studio-client/studio-client.ts';
import type { CrashPoint } from '../src/test-hooks.ts';
import { type ScriptedStudio, startScriptedStudio } from './scripted-studio.ts';

const secretKey = Buffer.alloc(32, 7);

/** A scripted studio, a connected account of ours, and a client. */
export type Upstream = AsyncDisposable & { studio: ScriptedStudio; client: StudioClient; accountId: string };

type UpstreamOptions = { timeoutMs?: number; crashPoint?: CrashPoint };

export async function startUpstream(database: Database, options: UpstreamOptions = {}): Promise<Upstream> {
  const studio = await startScriptedStudio();
  // Each studio needs its own id in a database that tests share.
  studio.studioId = `std_${crypto.randomUUID()}`;
  const client = clientOf(database, studio.url, options);
  const { accountId } = await connect(database, studio);
  return {
    studio,
    client,
    accountId,
    [Symbol.asyncDispose]: async () => {
      await client[Symbol.asyncDispose]();
      await studio[Symbol.asyncDispose]();
    },
  };
}

/** Makes a client like one of another process. */
export function clientOf(database: Database, url: string, options: UpstreamOptions = {}): StudioClient {
  return createStudioClient({
    studioUrl: url,
    studioPublicUrl: url,
    studioClientId: 'service',
    studioClientSecret: 'a secret: with + and %',
    secretKey,
    database,
    log: createLogger({ part: 'test', level: 'silent' }),
    ...options,
  });
}

export async function connect(database: Database, studio: ScriptedStudio): Promise<{ accountId: string }> {
  return connectAccount(database, secretKey, {
    studioId: studio.studioId,
    studioAccountId: studio.account.id,
    email: null,
    refreshToken: studio.newSession(),
  });
}
