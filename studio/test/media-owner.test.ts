import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile, rm, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { test } from 'node:test';
import { programFile } from '@renderkit/server-kit/process/programs.ts';
import { createTestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { inheritedEnvironment } from '@renderkit/server-kit/testing/part.ts';
import { addLibraryItem } from '@renderkit/studio/operator.ts';
import { keepSettings } from '@renderkit/studio/settings/keep-settings.ts';
import { ownerFile } from '@renderkit/blob-storage/claim-disk.ts';
import { mediaDirectory } from '@renderkit/blob-storage/disk-blob-storage.ts';
import { openMedia } from '@renderkit/studio/storage/open-media.ts';
import { openStorage } from '@renderkit/blob-storage/open-storage.ts';
import { claimStorage } from '../src/storage/claim-storage.ts';
import { startTestStudio } from './harness.ts';
import { makeImage } from './media-files.ts';

/** Starts a studio with a three-day-old picture on its disk, and prepares another database for a studio. */
async function startOwner() {
  await using owners = new AsyncDisposableStack();
  const studio = owners.use(await startTestStudio({ worker: false, config: { s3: undefined } }));
  const { database, dataDirectory, databaseUrl } = studio;
  const { email } = await studio.connect();
  const picture = path.join(dataDirectory, 'image.jpg');
  await writeFile(picture, await makeImage({ format: 'jpeg' }));
  await addLibraryItem(database, { email, dataDirectory, file: picture });
  const other = owners.use(await createTestDatabase('studio'));
  const storage = owners.use(await openStorage({ dataDirectory }));
  const keys = await studio.mediaKeys();
  const media = mediaDirectory(dataDirectory);
  const age = async (time: Date) => {
    for (const key of keys) await utimes(path.join(media, key.slice(0, 2), key), time, time);
  };
  await age(new Date(Date.now() - 3 * 24 * 60 * 60_000));
  const ids = {
    ours: (await keepSettings(database)).studioId,
    others: (await keepSettings(other.database)).studioId,
  };
  const claims = (url: string, id: string) => claimStorage(storage, id, { dataDirectory, databaseUrl: url });
  const owned = owners.move();
  return {
    database,
    dataDirectory,
    other,
    ids,
    file: ownerFile(media),
    age,
    claimAsOurs: () => claims(databaseUrl, ids.ours),
    claimAsOther: () => claims(other.url, ids.others),
    /** Returns the owner that is named in the media directory. */
    named: async () => (await readFile(ownerFile(media), 'utf8')).trim(),
    isWhole: async () => keys.length > 1 && (await studio.mediaKeys()).join() === keys.join(),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

/** Runs an entry that does not start, and returns its error. */
function refusalOf(entry: string, env: Record<string, string>): Promise<string> {
  const file = programFile(path.join(import.meta.dirname, '..', 'src', entry));
  return new Promise((resolve) =>
    execFile(
      process.execPath,
      [file],
      { env: { ...inheritedEnvironment(), ...env }, timeout: 15_000 },
      (_error, _out, stderr) => resolve(stderr),
    ),
  );
}

test('studio and worker refuse to start on the media of another database, and remove nothing', async () => {
  await using owner = await startOwner();
  const env = {
    STUDIO_CLIENT_SECRET: 'a secret of sixteen or more',
    SECRET_KEY: '7e'.repeat(32),
    STUDIO_DATABASE_URL: owner.other.url,
    DATA_DIR: owner.dataDirectory,
    STUDIO_PORT: '0',
  };
  for (const entry of ['main.ts', 'worker.ts']) {
    const said = await refusalOf(entry, env);
    assert.match(said, /^The media in .* belong to another studio \(stu_.*Set STUDIO_DATABASE_URL .*\n$/);
    assert.ok(said.includes(owner.ids.ours) && said.includes(`write ${owner.ids.others} into ${owner.file}`));
  }
  assert.ok(await owner.isWhole());
});

test('media of an earlier version, which named nobody, go to the database that names them and to no other', async () => {
  await using owner = await startOwner();
  await rm(owner.file);
  await assert.rejects(owner.claimAsOther(), /are of another database: the studio's names none of them/);
  await assert.rejects(owner.named(), /ENOENT/);
  await Promise.all(Array.from({ length: 4 }, owner.claimAsOurs));
  assert.equal(await owner.named(), owner.ids.ours);
  await assert.rejects(owner.claimAsOther(), /belong to another studio/);
  assert.ok(await owner.isWhole());
});

test('whoever writes the id of another studio beside the media gives them to it', async () => {
  await using owner = await startOwner();
  await writeFile(owner.file, owner.ids.others);
  await owner.claimAsOther();
  await assert.rejects(owner.claimAsOurs(), /belong to another studio/);
});

test('a folder with nothing but files that may be on their way is free', async () => {
  await using owner = await startOwner();
  await rm(owner.file);
  await owner.age(new Date());
  await owner.claimAsOther();
  assert.equal(await owner.named(), owner.ids.others);
});

test('a file of the owner that stays empty is told', async () => {
  await using owner = await startOwner();
  await writeFile(owner.file, '');
  await assert.rejects(
    owner.claimAsOurs(),
    /renderkit-studio is empty, .* remove that file and start again\.$/,
  );
});

test('what stores media beside a studio stores none among those of another', async () => {
  await using owner = await startOwner();
  await rm(owner.file);
  const { dataDirectory, other } = owner;
  await assert.rejects(openMedia(other.database, { dataDirectory }), /are of another database/);
  await openMedia(owner.database, { dataDirectory });
  assert.equal(await owner.named(), owner.ids.ours);
});
