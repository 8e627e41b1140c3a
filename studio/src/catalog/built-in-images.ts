import { hash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import type { FastifyInstance } from 'fastify';
import { StudioError } from '../errors.ts';

const folder = path.join(import.meta.dirname, '..', '..', 'models', 'pictures');
const daySeconds = 86_400;

/** Sample images of the product's own models, by file name. `e2e/draw-models.ts` makes them. */
const images: ReadonlyMap<string, Buffer> = new Map(
  readdirSync(folder).map((name) => [name, readFileSync(path.join(folder, name))]),
);

/**
 * Returns the path of the image of one of the product's own models, relative to the address of media; `null` if it has
 * none.
 */
export function builtInImageOf(id: string): string | null {
  // Some ids begin with the kind of model: `character/figures`.
  const name = `${path.posix.basename(id)}.webp`;
  return images.has(name) ? `models/${name}` : null;
}

/** Serves the images of the product's own models. Another release may have other images. */
export function builtInImageRoutes(app: FastifyInstance): void {
  app.get<{ Params: { name: string } }>('/media/models/:name', async (request, reply) => {
    const bytes = images.get(request.params.name);
    if (bytes === undefined) throw new StudioError('not_found', 'There is no such image.');
    const etag = `"${hash('sha256', bytes, 'base64url').slice(0, 16)}"`;
    reply
      .header('content-type', 'image/webp')
      .header('x-content-type-options', 'nosniff')
      .header('content-security-policy', "default-src 'none'; sandbox")
      .header('cross-origin-resource-policy', 'cross-origin')
      .header('access-control-allow-origin', '*')
      .header('cache-control', `public, max-age=${daySeconds}`)
      .header('etag', etag);
    if (request.headers['if-none-match']?.includes(etag) === true) return reply.code(304).send();
    return reply.send(bytes);
  });
}
