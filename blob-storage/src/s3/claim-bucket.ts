import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { ConfigError } from '@renderkit/server-kit/process/config.ts';
import { type S3Client, S3Refusal } from './s3-client.ts';
import { listObjects } from './s3-listing.ts';

const ownerKey = 'renderkit-studio';
/** Beside it each process that is about to write it writes an object of its own, on a server that knows no conditions. */
const candidatePrefix = 'renderkit-claim-';

/**
 * Writes the owner into the bucket unless somebody stands there; returns who does. Of several that come at the same moment one is
 * the owner, on servers that do not know conditional requests (`If-None-Match: *`, RFC 9110 section 13.1.2) too.
 * @throws ConfigError where others stand in the way for ten seconds
 */
export async function claimBucket(client: S3Client, owner: string): Promise<string> {
  const written = await readOwner(client);
  if (written !== undefined) return written;
  if (!(await knowsConditions(client))) return claimInTurn(client, owner);
  if (await putIfAbsent(client, ownerKey, owner)) return owner;
  // Somebody was faster, or an answer to this very request was lost.
  return (await readOwner(client)) ?? claimBucket(client, owner);
}

const readOwner = (client: S3Client) => client.text({ method: 'GET', key: ownerKey });

/** A server that ignores the condition writes a second time over what is there, and one that knows none of it refuses. */
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

/** False where there is such an object. */
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
/** Whoever stands there longer was killed: writing the owner takes a few requests, each tried again for a minute at most. */
const deadAfterMs = 10 * 60_000;

/**
 * Whoever wants to write says so first and then looks whether somebody else does: of two, one sees the other at least. Who sees
 * another steps back and comes again; who is alone writes, and goes only after that.
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

/** Ages are compared by the server's clock alone. A listing that lacks what was just written proves nothing. */
async function hasRival(client: S3Client, own: string): Promise<boolean> {
  const candidates = (await Array.fromAsync(listObjects(client, candidatePrefix))).flat();
  const since = candidates.find(({ key }) => key === own)?.storedAt.getTime();
  if (since === undefined) return true;
  return candidates.some(({ key, storedAt }) => key !== own && since - storedAt.getTime() < deadAfterMs);
}
