import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { test } from 'node:test';
import { programFile } from '@renderkit/server-kit/process/programs.ts';
import {
  createTestDatabase,
  endSessionsOf,
  moveClock,
  type TestDatabase,
} from '@renderkit/server-kit/testing/database.ts';
import { inheritedEnvironment } from '@renderkit/server-kit/testing/part.ts';
import { addVersion, type ModelFiles, withCatalog } from '@renderkit/studio/catalog/publish.ts';
import { keepThumbnail } from '@renderkit/studio/catalog/thumbnails.ts';
import { folderOf } from '@renderkit/blob-storage/blob-storage.ts';
import { checkMedia } from '@renderkit/studio/storage/check-media.ts';
import { type MediaStore, openMedia } from '@renderkit/studio/storage/open-media.ts';
import { type S3Counterpart, startS3Counterpart } from '@renderkit/blob-storage/testing/s3-counterpart.ts';
import { ownModel } from './own-model.ts';

// Two processes that remove files that no row names. The first takes longer than its marks are valid (ten minutes).

const hour = 60 * 60;
type Scene = { db: TestDatabase; server: S3Counterpart; media: MediaStore };

async function setScene(owners: AsyncDisposableStack): Promise<Scene> {
  const db = owners.use(await createTestDatabase('studio'));
  const server = owners.use(await startS3Counterpart());
  const media = await openMedia(db.database, { dataDirectory: '', s3: server.config });
  return { db, server, media };
}

function startRemoval({ db, server }: Scene): ChildProcess {
  const program = programFile(path.join(import.meta.dirname, 'crash-removal.ts'));
  const place = JSON.stringify({ dataDirectory: '', s3: server.config });
  return spawn(process.execPath, [program, db.url, place], { env: inheritedEnvironment(), stdio: 'inherit' });
}

/** Starts a process whose first removal of a blob hangs until `go` is called. `folder`: the folder of this blob. */
async function hangingRemoval(
  scene: Scene,
): Promise<{ child: ChildProcess; folder: string; go: () => void }> {
  const gate = Promise.withResolvers<void>();
  const hanging = Promise.withResolvers<string>();
  let removals = 0;
  scene.server.onRequest = ({ method, key }) => {
    if (method !== 'DELETE' || ++removals > 1) return undefined;
    hanging.resolve(folderOf(key));
    return gate.promise;
  };
  const child = startRemoval(scene);
  const ended = once(child, 'exit').then(() => assert.fail('it removed nothing'));
  return { child, folder: await Promise.race([hanging.promise, ended]), go: gate.resolve };
}

const marks = async ({ db }: Scene) =>
  db.database.rows<{ folder: string; removing: boolean }>('select folder, removing from loose_folders');

test('a thumbnail that is added while a slow removal goes on keeps its bytes', async () => {
  await using owners = new AsyncDisposableStack();
  const scene = await setScene(owners);
  const { db, media } = scene;
  const models = [await ownModel('one', '#102030'), await ownModel('two', '#405060')] as const;
  const folders = new Map<string, ModelFiles>();
  for (const model of models)
    folders.set(folderOf((await keepThumbnail(model, media)).thumbnailKey ?? ''), model);
  await moveClock(db.database, 2 * hour);

  const slow = await hangingRemoval(scene);
  await moveClock(db.database, 2 * hour + 11 * 60);
  await once(startRemoval(scene), 'exit');
  // The second process removed what the first had only marked, and did not touch the folder that the first is removing.
  assert.deepEqual(await marks(scene), [{ folder: slow.folder, removing: true }]);
  const [stuck, other] = [...folders].sort(([folder]) => (folder === slow.folder ? -1 : 1));
  assert.ok(stuck && other);
  const again = await keepThumbnail(other[1], media);
  const waiting = keepThumbnail(stuck[1], media);

  slow.go();
  await once(slow.child, 'exit');
  for (const model of [again, await waiting])
    await withCatalog(db.database, (transaction) => addVersion(transaction, model, 'operator'));
  assert.deepEqual(await marks(scene), []);
  const { rows_without_bytes, checked } = await checkMedia(db.database, media.storage);
  assert.deepEqual(rows_without_bytes, []);
  assert.ok(checked >= 2);
});

test('what a killed process was removing another removes once its marks are old', async () => {
  await using owners = new AsyncDisposableStack();
  const scene = await setScene(owners);
  const { db, media, server } = scene;
  await keepThumbnail(await ownModel('one', '#102030'), media);
  await moveClock(db.database, 2 * hour);
  const slow = await hangingRemoval(scene);
  slow.child.kill('SIGKILL');
  await once(slow.child, 'exit');
  await endSessionsOf(db.database, 'removal');
  await once(startRemoval(scene), 'exit');
  assert.deepEqual(await marks(scene), [{ folder: slow.folder, removing: true }]);
  await moveClock(db.database, 2 * hour + 11 * 60);
  await once(startRemoval(scene), 'exit');
  assert.deepEqual(await marks(scene), []);
  assert.deepEqual([...server.objects.keys()], ['renderkit-studio'], 'only the owner is left');
  slow.go();
});
