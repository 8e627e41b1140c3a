import path from 'node:path';
import { createPart, type Part } from '@renderkit/server-kit/testing/part.ts';
import { mediaEnvironment } from '@renderkit/blob-storage/testing/test-media.ts';
import { client, testSecretKey, type TestStudio } from './harness.ts';

/**
 * Creates a studio or a worker on the same database and directory, as a separate process that kills itself at the
 * point. The process dies when `arrivals` jobs have reached the point; earlier ones wait there.
 */
export function createDoomedPart(
  studio: TestStudio,
  kind: 'studio' | 'worker',
  point: string,
  arrivals = 1,
): Part {
  return createPart({
    name: kind,
    entry: path.join(import.meta.dirname, `crash-${kind}.ts`),
    arguments: [point, String(arrivals)],
    environment: {
      STUDIO_DATABASE_URL: studio.databaseUrl,
      STUDIO_CLIENT_ID: client.id,
      STUDIO_CLIENT_SECRET: client.secret,
      SECRET_KEY: testSecretKey.toString('hex'),
      STUDIO_PORT: '0',
      DATA_DIR: studio.dataDirectory,
      ...mediaEnvironment(studio.mediaLocation),
      LOG_LEVEL: 'error',
    },
  });
}

/**
 * Runs a worker that kills itself at the point, and waits for its death, which may come before it reports that it
 * serves.
 */
export async function dieAt(studio: TestStudio, point: string, arrivals = 1): Promise<void> {
  await using worker = createDoomedPart(studio, 'worker', point, arrivals);
  await worker.start().catch((error: unknown) => {
    if (worker.running) throw error;
  });
  await worker.ended;
  if (worker.process.signalCode !== 'SIGKILL') throw new Error(`the worker did not die at ${point}`);
}
