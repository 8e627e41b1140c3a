import { createSecretKey, generateKeyPair, type KeyObject, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import type { Database, Queryable } from '@renderkit/server-kit/db/database.ts';
import { newId, randomBase62 } from '@renderkit/server-kit/ids.ts';
import { keepSetting, readSettings, writeSetting } from './store.ts';

export type StudioSettings = {
  /** The studio's identity, independent of its address. */
  studioId: string;
  /** The OpenID provider's private signing keys (RFC 7517). */
  jwks: { keys: Record<string, unknown>[] };
  cookieKeys: string[];
  /** Signs quotes. */
  quoteKey: KeyObject;
  /** Makes the unguessable part of media links. */
  mediaKey: KeyObject;
};

/** Returns the settings that the studio generates at its first start and keeps in its database. */
export async function keepSettings(database: Database): Promise<StudioSettings> {
  let settings = await readSettings(database);
  if (!['studio_id', 'jwks', 'cookie_keys', 'quote_key', 'media_key'].every((name) => settings.has(name))) {
    await keepSetting(database, 'studio_id', newId('stu_'));
    await keepSetting(database, 'jwks', { keys: [await newSigningKey()] });
    await keepSetting(database, 'cookie_keys', [randomBase62(43)]);
    await keepSetting(database, 'quote_key', randomBytes(32).toString('base64url'));
    await keepSetting(database, 'media_key', randomBytes(32).toString('base64url'));
    settings = await readSettings(database);
  }
  return {
    studioId: settings.get('studio_id') as string,
    jwks: settings.get('jwks') as StudioSettings['jwks'],
    cookieKeys: settings.get('cookie_keys') as string[],
    quoteKey: secretKey(settings.get('quote_key')),
    mediaKey: secretKey(settings.get('media_key')),
  };
}

/** Returns whether a start has already applied the files of a data directory to this database. */
export async function wereDataFilesApplied(database: Database): Promise<boolean> {
  return (await readSettings(database)).has('data_files');
}

export async function noteDataFiles(database: Database): Promise<void> {
  await keepSetting(database, 'data_files', true);
}

/**
 * Returns the digest of the product's models and lists that were applied last; `undefined` when some of them were left
 * out.
 */
export async function readBuiltInDigest(database: Queryable): Promise<string | undefined> {
  return (await readSettings(database)).get('built_in_digest') as string | undefined;
}

export async function writeBuiltInDigest(database: Queryable, digest: string): Promise<void> {
  await writeSetting(database, 'built_in_digest', digest);
}

/**
 * Where all media are kept. Only a bucket's name counts: parts may reach one storage under several addresses, and a
 * disk under several paths. `studio/src/storage/media-location.ts` decides whether a part may use another.
 */
export type RecordedLocation = { store: 'disk' } | { store: 's3'; bucket: string };

/** Returns where media are kept now, and where they may move. */
export async function readMediaLocations(
  database: Database,
): Promise<{ kept: RecordedLocation | undefined; allowed: RecordedLocation | undefined }> {
  const settings = await readSettings(database);
  return {
    kept: settings.get('media_place') as RecordedLocation | undefined,
    allowed: settings.get('media_place_allowed') as RecordedLocation | undefined,
  };
}

/** Stores the location unless one is stored already. */
export async function storeFirstMediaLocation(database: Database, location: RecordedLocation): Promise<void> {
  await keepSetting(database, 'media_place', location);
}

export async function writeMediaLocation(database: Database, location: RecordedLocation): Promise<void> {
  await writeSetting(database, 'media_place', location);
}

export async function allowMediaLocation(database: Database, location: RecordedLocation): Promise<void> {
  await writeSetting(database, 'media_place_allowed', location);
}

/**
 * With `on`, every call of the studio's interface answers 503 `maintenance`; media are still served.
 * `refuseUnderMaintenance` in `studio/src/authentication/authenticate.ts` refuses.
 */
export async function setMaintenance(database: Database, on: boolean): Promise<void> {
  await writeSetting(database, 'maintenance', on);
}

/** Creates a key object once. An HMAC from bytes creates one each time, which costs four times as much as the rest. */
function secretKey(value: unknown): KeyObject {
  return createSecretKey(Buffer.from(value as string, 'base64url'));
}

async function newSigningKey(): Promise<Record<string, unknown>> {
  const { privateKey } = await promisify(generateKeyPair)('ec', { namedCurve: 'P-256' });
  return { ...privateKey.export({ format: 'jwk' }), alg: 'ES256', use: 'sig', kid: randomBase62(12) };
}
