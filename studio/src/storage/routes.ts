import type { FastifyInstance } from 'fastify';
import { StudioError } from '../errors.ts';
import { parseRange } from './range.ts';
import type { BlobStorage } from '@renderkit/blob-storage/blob-storage.ts';
import { ResizedImages, smallSides } from './resized-images.ts';

const contentTypes: Record<string, string> = {
  png: 'image/png',
  jpg: 'image/jpeg',
  webp: 'image/webp',
  mp4: 'video/mp4',
  mov: 'video/quicktime',
  mp3: 'audio/mpeg',
  wav: 'audio/wav',
  m4a: 'audio/mp4',
};

/** The types that `?format=jpeg` can convert. */
const imageTypes = new Set(['image/png', 'image/jpeg', 'image/webp']);

/** Names of uploaded files; all others were generated here. */
const uploadedName = /^upf_/;

const yearSeconds = 31_536_000;
const keptForGood = `public, max-age=${yearSeconds}, immutable`;
/** An upload may still be rejected or deleted, so browsers must revalidate their copy. */
const askedEachTime = 'private, no-cache';
/** Long enough for a player that pauses a video. A client that needs a new link requests the media again. */
const linkSeconds = 3_600;

/**
 * Serves media under links that cannot be guessed and whose bytes never change. Nothing served here may run as code or
 * be interpreted as another type. `redirect` redirects clients to the storage, if the storage supports links; small
 * pictures (`?format=jpeg&max_side=`) are made here.
 */
export function mediaRoutes(
  app: FastifyInstance,
  { storage, delivery }: { storage: BlobStorage; delivery: 'proxy' | 'redirect' },
): void {
  const smallPictures = new ResizedImages(storage);
  type Asked = { Params: { folder: string; name: string }; Querystring: Record<string, unknown> };
  app.get<Asked>('/media/:folder/:name', async (request, reply) => {
    const { folder, name } = request.params;
    const contentType = contentTypes[name.split('.').at(-1) ?? ''];
    const file = contentType === undefined ? undefined : await storage.open(`${folder}/${name}`);
    if (contentType === undefined || file === undefined)
      throw new StudioError('not_found', 'There is no such file.');
    const side = smallSideOf(request.query);
    if (side !== undefined && !imageTypes.has(contentType))
      throw new StudioError('invalid_request', 'Only a picture can be had as a small JPEG.');
    const etag = side === undefined ? `"${folder}"` : `"${folder}-${side}"`;
    const known = request.headers['if-none-match']?.includes(etag) === true;
    const small =
      side === undefined || known ? undefined : await smallPictures.jpegOf(`${folder}/${name}`, side);
    const uploaded = uploadedName.test(name);
    // A page of another origin cannot request a download from the browser: `download` on a link works only within one
    // origin.
    const attached = uploaded || request.query['download'] !== undefined;
    const disposition = `${attached ? 'attachment' : 'inline'}; filename="${name}"`;
    const cacheControl = uploaded ? askedEachTime : keptForGood;
    reply
      .header('content-type', side === undefined ? contentType : 'image/jpeg')
      .header('x-content-type-options', 'nosniff')
      // A browser that opens a video shows it in a separate page, which loads the video again with an opaque origin.
      .header('content-security-policy', "default-src 'none'; media-src 'self'; sandbox")
      .header('cross-origin-resource-policy', 'cross-origin')
      .header('access-control-allow-origin', '*')
      .header('content-disposition', disposition)
      .header('cache-control', cacheControl)
      .header('etag', etag);
    if (known) return reply.code(304).send();
    if (small !== undefined) return reply.send(small);
    reply.header('accept-ranges', 'bytes');
    // A link works only for GET.
    if (delivery === 'redirect' && storage.publicUrl !== undefined && request.method === 'GET') {
      const headers = { contentType, disposition, cacheControl };
      const link = await storage.publicUrl(`${folder}/${name}`, headers, linkSeconds);
      return reply.header('cache-control', 'private, no-store').redirect(link, 302);
    }
    const ifRange = request.headers['if-range'];
    const range =
      ifRange === undefined || ifRange === etag ? parseRange(request.headers.range, file.sizeBytes) : 'whole';
    if (range === 'unsatisfiable')
      return reply.code(416).header('content-range', `bytes */${file.sizeBytes}`).send();
    if (range === 'whole') return reply.header('content-length', file.sizeBytes).send(file.read());
    return reply
      .code(206)
      .header('content-range', `bytes ${range.start}-${range.end}/${file.sizeBytes}`)
      .header('content-length', range.end - range.start + 1)
      .send(file.read(range));
  });
}

/**
 * Returns the pixels of `?format=jpeg&max_side=`; `undefined` when the file itself is requested.
 * @throws StudioError invalid_request
 */
function smallSideOf({ format, max_side: side }: Record<string, unknown>): number | undefined {
  if (format === undefined && side === undefined) return undefined;
  if (format !== 'jpeg') throw new StudioError('invalid_request', 'format must be jpeg.');
  if (side === undefined) return smallSides.initial;
  const pixels = typeof side === 'string' && /^\d{1,5}$/.test(side) ? Number(side) : 0;
  if (pixels < smallSides.min || pixels > smallSides.max)
    throw new StudioError(
      'invalid_request',
      `max_side must be a number of pixels from ${smallSides.min} to ${smallSides.max}.`,
    );
  return pixels;
}
