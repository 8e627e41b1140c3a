import { rm } from 'node:fs/promises';
import path from 'node:path';
import { startCeph, unlessCeph } from '@renderkit/e2e/s3/ceph.ts';
import { folderOf } from '@renderkit/blob-storage/blob-storage.ts';
import { openS3BlobStorage } from '@renderkit/blob-storage/s3/s3-blob-storage.ts';
import { openS3Client } from '@renderkit/blob-storage/s3/s3-client.ts';
import type { S3Config } from '@renderkit/blob-storage/s3/s3-config.ts';
import type { Bench, Result } from '../benchmark.ts';
import { startChild } from '../child.ts';
import { type Platform, startPlatform } from '../platform.ts';
import { boundResult } from '../present.ts';
import { cpuSeconds } from '../process-usage.ts';
import { median } from '../statistics.ts';
import { send, writeVideo } from '../upload/send-file.ts';
import type { StoredPictures, StorePictures } from './store-pictures.ts';

const fileMegabytes = 200;
/** A player requests pieces of this size. */
const rangeBytes = 8_000_000;
const pictures = { count: 150, bytes: 1_500_000 };

/** CPU seconds of our own process per GB. */
type Cost = { upload: number; download: number; 'stored render': number };
type Store = 'disk' | 's3';

/**
 * Measures what a byte costs on its way into a bucket and out of it, compared with the disk. Counts only the processor
 * time of our own process, the studio or the one that stores renders, not that of the storage.
 */
export async function s3(bench: Bench): Promise<Result[]> {
  if (unlessCeph !== false) {
    bench.say(`  skipped: ${unlessCeph}`);
    return [];
  }
  const megabytes = bench.quick ? 40 : fileMegabytes;
  const file = path.join(bench.cluster.directory, 'movie.mp4');
  await writeVideo(file, megabytes * 1e6);
  await using ceph = await startCeph();
  const found: Record<Store, Cost[]> = { disk: [], s3: [] };
  for (let round = 1; round <= bench.rounds; round++)
    for (const store of ['s3', 'disk'] as const) {
      const bucket =
        store === 's3' ? await makeBucket({ ...ceph.config, bucket: `round-${round}` }) : undefined;
      const cost = await measure(bench, { file, megabytes }, bucket);
      // The gateway keeps everything in memory.
      if (bucket !== undefined) await emptyBucket(bucket);
      found[store].push(cost);
      bench.say(
        `  round ${round}, ${store}: ${Object.entries(cost)
          .map(([name, of]) => `${name} ${perGb(of)}`)
          .join(', ')}`,
      );
    }
  await rm(file);
  return (['upload', 'download', 'stored render'] as const).map((name) => {
    const ratios = found.s3.map((cost, i) => cost[name] / (found.disk[i]?.[name] ?? Number.NaN));
    return {
      ...boundResult({
        name: `s3, ${name}`,
        ours: perGb(median(found.s3.map((cost) => cost[name]))),
        goal: 'none: a figure to know',
        met: true,
      }),
      cpuRatio: median(ratios).toFixed(2),
      baseline: `${perGb(median(found.disk.map((cost) => cost[name])))} on the disk`,
      spread: `${Math.min(...ratios).toFixed(2)}–${Math.max(...ratios).toFixed(2)}`,
    };
  });
}

async function measure(
  bench: Bench,
  movie: { file: string; megabytes: number },
  bucket: S3Config | undefined,
): Promise<Cost> {
  await using platform = await startPlatform(bench, {
    worker: false,
    ...(bucket !== undefined && { environment: environmentOf(bucket) }),
  });
  const token = await platform.studioToken(await platform.createAccount({ keys: 1 }));
  const ofStudio = async (work: () => Promise<number>) => {
    const before = cpuSeconds(platform.studio.pid) ?? Number.NaN;
    const megabytes = await work();
    return (((cpuSeconds(platform.studio.pid) ?? Number.NaN) - before) / megabytes) * 1_000;
  };
  // The first call of each also compiles its code.
  await upload(platform, token, movie, 'warm');
  await download(platform, movie);
  return {
    upload: await ofStudio(() => upload(platform, token, movie, 'measured')),
    download: await ofStudio(() => download(platform, movie)),
    'stored render': await storeRenders(bench, bucket),
  };
}

/** Uploads directly to the studio, as the service passes on a client's file. */
async function upload(
  { studioUrl }: Platform,
  token: string,
  { file, megabytes }: { file: string; megabytes: number },
  name: string,
): Promise<number> {
  await send(`${studioUrl}/api/uploads/${name}?file_name=movie.mp4`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' },
    file,
    status: 200,
  });
  return megabytes;
}

/** Downloads by the file's own link, piece after piece. */
async function download(
  { studioUrl, studioDatabase }: Platform,
  { megabytes }: { megabytes: number },
): Promise<number> {
  const [row] = await studioDatabase.rows<{ key: string }>(
    'select storage_key as key from uploads order by created_at limit 1',
  );
  for (let start = 0; start < megabytes * 1e6; start += rangeBytes) {
    const answer = await fetch(`${studioUrl}/media/${row?.key}`, {
      headers: { range: `bytes=${start}-${start + rangeBytes - 1}` },
    });
    if (answer.status !== 206) throw new Error(`a range was answered ${answer.status}`);
    let bytes = 0;
    for await (const chunk of answer.body as AsyncIterable<Uint8Array>) bytes += chunk.length;
    if (bytes !== rangeBytes) throw new Error(`a range had ${bytes} bytes`);
  }
  return megabytes;
}

/**
 * Stores renders in a process that does nothing else: next to the drawing of a picture, the cost of storing it would
 * not show.
 */
async function storeRenders(bench: Bench, bucket: S3Config | undefined): Promise<number> {
  const directory = path.join(bench.cluster.directory, 'renders');
  await using child = await startChild(new URL('store-pictures.ts', import.meta.url).pathname, {
    directory,
    s3: bucket,
  });
  const store = (count: number) =>
    child.ask<StoredPictures>({ count, bytes: pictures.bytes } satisfies StorePictures);
  await store(bench.quick ? 5 : 30);
  const before = cpuSeconds(child.pid) ?? Number.NaN;
  const { megabytes } = await store(bench.quick ? 20 : pictures.count);
  const used = (cpuSeconds(child.pid) ?? Number.NaN) - before;
  await rm(directory, { recursive: true, force: true });
  return (used / megabytes) * 1_000;
}

function environmentOf(bucket: S3Config): Record<string, string> {
  return {
    MEDIA_STORE: 's3',
    S3_ENDPOINT: bucket.endpoint,
    S3_BUCKET: bucket.bucket,
    S3_REGION: bucket.region,
    S3_ACCESS_KEY_ID: bucket.accessKeyId,
    S3_SECRET_ACCESS_KEY: bucket.secretAccessKey,
  };
}

async function makeBucket(config: S3Config): Promise<S3Config> {
  await using client = openS3Client(config);
  await client.text({ method: 'PUT' });
  return config;
}

async function emptyBucket(config: S3Config): Promise<void> {
  await using storage = openS3BlobStorage(config);
  for await (const blobs of storage.list())
    for (const { key } of blobs) await storage.removeFolder(folderOf(key));
}

function perGb(seconds: number): string {
  return `${seconds.toFixed(2)} CPU s per GB`;
}
