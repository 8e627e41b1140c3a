import assert from 'node:assert/strict';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { createLogger } from '@renderkit/server-kit/process/logger.ts';
import { createTestDatabase, type TestDatabase } from '@renderkit/server-kit/testing/database.ts';
import { applyDataFiles } from '@renderkit/studio/catalog/data-files.ts';
import { openCatalog } from '@renderkit/studio/catalog/open-catalog.ts';
import { publishModel, withCatalog } from '@renderkit/studio/catalog/publish.ts';
import { createAccount } from '@renderkit/studio/operator.ts';
import { openDiskBlobStorage } from '@renderkit/blob-storage/disk-blob-storage.ts';

let db: TestDatabase;
let folder: string;
beforeEach(async () => {
  db = await createTestDatabase('studio');
  folder = await mkdtemp(path.join(tmpdir(), 'studio-files-'));
  await mkdir(path.join(folder, 'models'));
});
afterEach(async () => {
  await db[Symbol.asyncDispose]();
  await rm(folder, { recursive: true, force: true });
});

const manifest = (price: number) => `manifest: 1
id: meadow
name: Meadow
suites: [image]
batch_size: { Conjure: 1 }
parameters: { aspect_ratios: [{ ratio: '1:1', width: 256, height: 256 }] }
price: { base_millicredits: ${price} }
routes:
  - { name: drawn, engine: procedural, on: [procedural], model: atelier, outputs: { kind: image, max_per_job: 1 } }
`;
const plans = (keys: readonly string[]) =>
  `plans:\n${keys
    .map(
      (key) => `  - key: ${key}
    name: ${key}
    monthly_credits: 12.345
    limits: { image: 1, edit: 1, video: 1, overall: 2 }
    capabilities: { uploads: true, audio_upload: false, video_upload: false, custom_models: false, character_creation_modes: [] }
    storage_bytes: 1000
`,
    )
    .join('')}`;
const write = (name: string, text: string) => writeFile(path.join(folder, name), text);

/** Runs one start. Returns what it logs about each file. */
async function start(): Promise<string[]> {
  const said: string[] = [];
  const say =
    (level: string) =>
    ({ file, problems = [] }: { file: string; problems?: readonly { line?: number }[] }) => {
      said.push([level, path.basename(file), ...problems.map(({ line }) => line ?? 0)].join(' '));
    };
  await applyDataFiles(
    db.database,
    { dataDirectory: folder },
    { info: say('info'), warn: say('warn'), error: say('error') },
  );
  return said;
}

async function modelNow() {
  await using catalog = await openCatalog({
    database: db.database,
    log: createLogger({ part: 'test', level: 'silent' }),
  });
  return catalog.current().models.get('meadow');
}

const priceNow = async () => (await modelNow())?.offered.price.base_millicredits;
const thumbnailNow = async () => (await modelNow())?.thumbnailKey;

test('what lies in the data directory is published at the start, once', async () => {
  await write('models/meadow.model.yaml', manifest(2_000));
  await write('models/notes.txt', 'nothing to do with it');
  assert.deepEqual(await start(), ['info meadow.model.yaml']);
  assert.deepEqual([await start(), await priceNow()], [[], 2_000]);
  await write('models/meadow.model.yaml', `# said otherwise\n${manifest(2_000)}`);
  assert.deepEqual(await start(), [], 'a comment makes no version');
  await write('models/meadow.model.yaml', manifest(3_000));
  assert.deepEqual([await start(), await priceNow()], [['info meadow.model.yaml'], 3_000]);
});

test('the image that a manifest names is its thumbnail, and another image makes another version', async () => {
  const samples = path.resolve(import.meta.dirname, '../models/samples');
  const image = path.join(folder, 'models/meadow.png');
  const withImage = `${manifest(2_000)}thumbnail: ./meadow.png\n`;
  await write('models/meadow.model.yaml', withImage);
  await assert.rejects(start(), /There is no file meadow\.png/);
  await writeFile(image, 'no image');
  await assert.rejects(start(), /meadow\.png cannot be used as a thumbnail/);
  await copyFile(path.join(samples, 'image.png'), image);
  assert.deepEqual(await start(), ['info meadow.model.yaml']);
  assert.deepEqual(await start(), []);
  const key = await thumbnailNow();
  const blob = await (await openDiskBlobStorage(folder)).open(key ?? '');
  assert.ok(blob);
  const bytes = Buffer.concat(await Array.fromAsync(blob.read()));
  assert.equal(bytes.toString('latin1', 8, 12), 'WEBP');
  await copyFile(path.join(samples, 'mask.png'), image);
  assert.deepEqual(await start(), ['info meadow.model.yaml']);
  assert.notEqual(await thumbnailNow(), key);
});

test('what an operator changed since is left, and each start says so', async () => {
  await write('models/meadow.model.yaml', manifest(2_000));
  await start();
  await write('models/meadow.model.yaml', manifest(3_000));
  await start();
  await withCatalog(db.database, (transaction) => publishModel(transaction, 'meadow', 1, 'operator'));
  assert.deepEqual([await start(), await priceNow()], [[], 2_000]);
  await write('models/meadow.model.yaml', manifest(4_000));
  assert.deepEqual([await start(), await priceNow()], [['warn meadow.model.yaml'], 2_000]);
  assert.deepEqual(await start(), ['warn meadow.model.yaml']);
});

test('a broken file refuses the first start, and later leaves what is in force', async () => {
  await write('models/meadow.model.yaml', manifest(2_000).replace('price:', 'prize:'));
  await assert.rejects(start(), (error: Error) => {
    assert.equal(error.name, 'ConfigError');
    assert.match(
      error.message,
      /meadow\.model\.yaml cannot be used \(line 1: A manifest needs the key "price", and 1 more\): mend it or take it away\.$/,
    );
    return true;
  });
  await write('models/meadow.model.yaml', manifest(2_000));
  await start();
  await write('models/meadow.model.yaml', manifest(3_000).replace('price:', 'prize:'));
  await write('models/other.model.yaml', '[');
  const said = await start();
  assert.deepEqual(
    said.map((line) => line.split(' ').slice(0, 2).join(' ')),
    ['error meadow.model.yaml', 'error other.model.yaml'],
  );
  assert.equal(await priceNow(), 2_000);
});

test('plans of any keys replace those of the product before there are accounts, and not below them', async () => {
  await write('plans.yaml', plans(['guest', 'member']));
  assert.deepEqual(await start(), ['info plans.yaml']);
  await using catalog = await openCatalog({
    database: db.database,
    log: createLogger({ part: 'test', level: 'silent' }),
  });
  const published = [...catalog.current().plans.values()];
  assert.deepEqual(
    published.map(({ key, monthly_millicredits: credits, weight }) => [key, credits, weight]),
    [
      ['guest', 12_345, 1],
      ['member', 12_345, 1],
    ],
  );
  assert.equal((await createAccount(db.database, { email: 'ada@example.org' })).tier, 'guest');
  await write('plans.yaml', plans(['member']));
  assert.deepEqual(await start(), ['error plans.yaml 0']);
  await write('plans.yaml', plans(['guest', 'guest']));
  assert.deepEqual(await start(), ['error plans.yaml 8']);
  await write('plans.yaml', plans(['guest']).replace('12.345', '0.0005'));
  assert.deepEqual(await start(), ['error plans.yaml 2']);
});
