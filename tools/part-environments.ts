// Checks the variables that the parts read, for the tests of `deploy/`.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Environment } from '@renderkit/server-kit/process/config.ts';
import { readDatabaseUrl, readServiceConfig } from '@renderkit/service/config.ts';
import { readStackConfig } from '@renderkit/stack/config.ts';
import { databaseUrl, readStudioConfig, readWorkerConfig } from '@renderkit/studio/config.ts';

const readers = {
  service: readServiceConfig,
  studio: readStudioConfig,
  worker: readWorkerConfig,
  migrate: (environment: Environment) => [readDatabaseUrl(environment), databaseUrl(environment)],
  operator: readStackConfig,
};
export type PartName = keyof typeof readers;
/** The parts that a machine runs. */
export const partNames = ['service', 'studio', 'worker', 'migrate'] as const satisfies PartName[];

/** Variables that Node reads, but our code does not. */
const ofNode = new Set(['HOME', 'NODE_COMPILE_CACHE']);

/** Values of the right form for the secrets that files hold. */
const secrets: Record<string, string> = {
  DATABASE_URL: 'postgresql://service:secret@db/service',
  STUDIO_DATABASE_URL: 'postgresql://studio:secret@db/studio',
  SECRET_KEY: '0123456789abcdef'.repeat(4),
};

/**
 * Asserts that a part starts with these variables, and that it reads each of them. Every file that a variable
 * `NAME_FILE` names contains a secret. `shared`: variables that all parts get; a part need not read all of them.
 */
export async function assertEnvironment(
  part: PartName,
  given: Record<string, string>,
  shared: Record<string, string> = {},
): Promise<void> {
  const folder = await mkdtemp(path.join(tmpdir(), 'renderkit-environment-'));
  try {
    const values: Record<string, string> = { ...shared, ...given };
    for (const name of Object.keys(given).filter((known) => known.endsWith('_FILE'))) {
      values[name] = path.join(folder, name);
      await writeFile(values[name], secrets[name.replace(/_FILE$/, '')] ?? 'a-secret-of-the-tests');
    }
    assert.deepEqual(unread(given, [part], values), [], `the ${part} reads no such variables`);
  } finally {
    await rm(folder, { recursive: true });
  }
}

/** Asserts that some part reads each variable that all parts get. Other variables are mistakes. */
export function assertKnown(shared: Record<string, string>): void {
  const values = {
    ...secrets,
    STUDIO_CLIENT_ID: 'client',
    STUDIO_CLIENT_SECRET: 'a-secret-of-the-tests',
    S3_ACCESS_KEY_ID: 'id',
    S3_SECRET_ACCESS_KEY: 'secret',
    ...shared,
  };
  assert.deepEqual(unread(shared, partNames, values), [], 'no part reads such variables');
}

/**
 * Asserts that the service gets the same place of media as the studio. If the service redirects clients to the bucket
 * (`MEDIA_DELIVERY=redirect`), the console's pages may show content from the bucket. The service has no key for the
 * bucket.
 */
export function assertSameMedia(service: Record<string, string>, studio: Record<string, string>): void {
  const placeOf = (variables: Record<string, string>) =>
    Object.entries(variables).filter(([name]) => /^(?:MEDIA_|S3_)/.test(name));
  const place = placeOf(studio).filter(([name]) => !/_KEY/.test(name));
  assert.ok(place.some(([name]) => name === 'S3_ENDPOINT'));
  assert.deepEqual(placeOf(service), place);
}

/**
 * Returns the names of `given` that no part reads when it reads `values`.
 *
 * @throws ConfigError if a part refuses the values
 */
function unread(
  given: Record<string, string>,
  parts: readonly PartName[],
  values: Record<string, string>,
): string[] {
  const read = new Set<string>(ofNode);
  const environment = new Proxy(values, {
    get: (target, name) => {
      read.add(String(name));
      return target[String(name)];
    },
  });
  for (const part of parts) readers[part](environment);
  return Object.keys(given).filter((name) => !read.has(name));
}
