import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import { type Part, startPart } from '@renderkit/server-kit/testing/part.ts';
import { serviceNodeOptions } from '@renderkit/service/config.ts';
import { connectAccount } from '@renderkit/service/operator.ts';
import type { Bench } from './benchmark.ts';
import { type Child, startChild } from './child.ts';
import { createKeys, freePort, originOf, program, serviceEnvironment } from './platform.ts';
import type { ScriptedStudio } from './polls/scripted-studio.ts';

export type ScriptedPlatform = {
  url: string;
  port: number;
  service: Part;
  /** Accepts the messages of `scripted-studio.ts`. */
  studio: Child;
  serviceDatabase: Database;
  secretKey: Buffer;
  /** Creates an account with one key that has practically no rate limit. */
  createAccount: () => Promise<{ id: string; key: string }>;
};

const studioId = 'std_scripted';

/** Starts a service on its own database. Its studio is a script, so that the measurement is of the service. */
export async function startScriptedPlatform(
  { cluster, profileDirectory }: Pick<Bench, 'cluster' | 'profileDirectory'>,
  owners: AsyncDisposableStack,
  options: { studio?: Pick<ScriptedStudio, 'settleAfterMs'>; environment?: Record<string, string> } = {},
): Promise<ScriptedPlatform> {
  const { url: databaseUrl, database } = owners.use(await cluster.createDatabase('service'));
  const [port, studioPort] = [await freePort(), await freePort()];
  const secretKey = randomBytes(32);
  const script = fileURLToPath(new URL('polls/scripted-studio.ts', import.meta.url));
  const told: ScriptedStudio = { port: studioPort, studioId, ...options.studio };
  const studio = owners.use(await startChild(script, told));
  const service = owners.use(
    await startPart({
      name: 'service',
      entry: program('service/src/main.ts'),
      nodeOptions: serviceNodeOptions,
      logDirectory: path.join(cluster.directory, 'logs'),
      profileDirectory,
      environment: {
        ...serviceEnvironment({ databaseUrl, port, studioPort, secretKey }),
        LOG_LEVEL: 'warn',
        STUDIO_CLIENT_ID: 'bench',
        STUDIO_CLIENT_SECRET: 'a secret of the benchmark',
        ...options.environment,
      },
    }),
  );
  let accounts = 0;
  return {
    url: originOf(port),
    port,
    service,
    studio,
    serviceDatabase: database,
    secretKey,
    createAccount: async () => {
      // The script uses an account's name as its token.
      const name = `account-${++accounts}`;
      const { accountId: id } = await connectAccount(database, secretKey, {
        studioId,
        studioAccountId: name,
        email: null,
        refreshToken: name,
      });
      const [key = ''] = await createKeys(database, id, 1);
      return { id, key };
    },
  };
}
