import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '@renderkit/server-kit/process/config.ts';
import { type S3Client, S3Refusal } from './s3-client.ts';
import { listObjects } from './s3-listing.ts';

const ownerKey = 'renderkit-studio';
/**
 * On a server without conditional requests, each process that is about to write the owner first writes its own object
 * with this prefix.
 */
const candidatePrefix = 'renderkit-claim-';

/**
 * Writes the owner into the bucket unless an owner is named there. Returns the owner. If several processes call this at
 * the same moment, all get the same owner. This works too on servers without conditional requests (`If-None-Match: *`,
 * RFC 9110 section 13.1.2). The studio refuses to start when the owner is another studio (its `storage/claim-storage.ts`).
 * @throws ConfigError where other candidates block this one for ten seconds
 */
export async function claimBucket(client: S3Client, owner: string): Promise<string> {
  const written = await readOwner(client);
  if (written !== undefined) return written;
  if (!(await knowsConditions(client))) return claimInTurn(client, owner);
  if (await putIfAbsent(client, ownerKey, owner)) return owner;
  // Another process was faster, or an answer to this very request was lost.
  return (await readOwner(client)) ?? claimBucket(client, owner);
}

const readOwner = (client: S3Client) => client.text({ method: 'GET', key: ownerKey });

/**
 * Tests whether a server supports `If-None-Match`. A server that ignores it overwrites the object; another kind of
 * server refuses the request.
 */
async function knowsConditions(client: S3Client): Promise<boolean> {
  const key = `renderkit-probe-${randomBytes(8).toString('hex')}`;
  await client.text({ method: 'PUT', key, body: Buffer.from('first') });
  try {
    return !(await putIfAbsent(client, key, 'second'));
  } catch (error) {
    if ([400, 501].includes(refusalOf(error)?.status ?? 0)) return false;
    throw error;
  } finally {
    await client.text({ method: 'DELETE', key });
  }
}

/** Returns `false` where the object exists already. */
async function putIfAbsent(client: S3Client, key: string, text: string): Promise<boolean> {
  const request = { method: 'PUT', key, headers: { 'if-none-match': '*' }, body: Buffer.from(text) } as const;
  try {
    await client.text(request);
    return true;
  } catch (error) {
    if (refusalOf(error)?.status === 412) return false;
    throw error;
  }
}

function refusalOf(error: unknown): S3Refusal | undefined {
  return error instanceof Error && error.cause instanceof S3Refusal ? error.cause : undefined;
}

const maxTurns = 40;
const turnMs = 250;
/**
 * An older candidate belongs to a process that was killed. Writing the owner takes a few requests, each retried for at
 * most a minute.
 */
const deadAfterMs = 10 * 60_000;

/**
 * Claims the bucket without conditional requests. Each process first writes its own candidate object and then looks for
 * other candidates, so of two processes at least one sees the other. A process that sees another removes its candidate
 * and tries again. A process that is alone writes the owner, and only then removes its candidate.
 */
async function claimInTurn(client: S3Client, owner: string): Promise<string> {
  for (let turn = 1; turn <= maxTurns; turn++) {
    const key = `${candidatePrefix}${randomBytes(8).toString('hex')}`;
    await client.text({ method: 'PUT', key, body: Buffer.from(owner) });
    try {
      const isAlone = !(await hasRival(client, key));
      const written = await readOwner(client);
      if (written !== undefined) return written;
      if (isAlone) {
        await client.text({ method: 'PUT', key: ownerKey, body: Buffer.from(owner) });
        return owner;
      }
    } finally {
      await client.text({ method: 'DELETE', key });
    }
    await sleep(turnMs * Math.random());
  }
  throw new ConfigError(
    'Other processes claim the bucket at this moment, or one was killed while it did: start again in ten minutes.',
  );
}

/**
 * Returns whether another candidate is active. Compares ages by the server's clock only. A listing without our own new
 * object is out of date, so it counts as a rival.
 */
async function hasRival(client: S3Client, own: string): Promise<boolean> {
  const candidates = (await Array.fromAsync(listObjects(client, candidatePrefix))).flat();
  const since = candidates.find(({ key }) => key === own)?.storedAt.getTime();
  if (since === undefined) return true;
  return candidates.some(({ key, storedAt }) => key !== own && since - storedAt.getTime() < deadAfterMs);
}
