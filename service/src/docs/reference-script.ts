import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import fastify from 'fastify';

const compress = promisify(gzip);
const route = '/reference';

/** The program that draws the API reference in a browser. */
export type ReferenceScript = { text: Buffer; gzipped: Buffer; etag: string };

/**
 * Makes the function that gives the program, which it reads when it is first asked for: most processes never are, and
 * it has four megabytes.
 */
export function createReferenceScript(): () => Promise<ReferenceScript> {
  let script: Promise<ReferenceScript> | undefined;
  return () => {
    script ??= readScript().catch((error: unknown) => {
      script = undefined;
      throw error;
    });
    return script;
  };
}

/** The package hands its program out by a route alone, so it gets a server that listens nowhere. */
async function readScript(): Promise<ReferenceScript> {
  const { default: reference } = await import('@scalar/fastify-api-reference');
  await using server = fastify();
  await server.register(reference, { routePrefix: route, configuration: { url: '/openapi.json' } });
  const answer = await server.inject(`${route}/js/scalar.js`);
  if (answer.statusCode !== 200 || answer.rawPayload.length === 0)
    throw new Error('the package of the API reference gives no program');
  const text = answer.rawPayload;
  return {
    text,
    gzipped: await compress(text),
    etag: `"${createHash('sha256').update(text).digest('base64url')}"`,
  };
}
