import type { Renderkit } from 'renderkit';

/** The largest picture in a result, in bytes. Some clients refuse more. */
const maxBytes = 150_000;

/**
 * Downloads a picture from one of our links as a JPEG of at most `maxSide` pixels on each side. Returns `undefined`
 * when there is no such picture, or the JPEG is still too large. `studio/src/storage/routes.ts` makes the JPEG.
 */
export async function readSmallImage(
  client: Renderkit,
  url: string,
  { maxSide, signal }: { maxSide: number; signal: AbortSignal },
): Promise<Uint8Array | undefined> {
  const link = new URL(url);
  link.searchParams.set('format', 'jpeg');
  link.searchParams.set('max_side', String(maxSide));
  const response = await client.fetchOutput({ url: link.href }, { signal });
  if (response.headers.get('content-type') === 'image/jpeg') return readAtMost(response);
  await response.body?.cancel().catch(() => undefined);
  return undefined;
}

async function readAtMost(response: Response): Promise<Uint8Array | undefined> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > maxBytes) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts);
}
