import type { FastifyRequest } from 'fastify';

const loopbackName = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Makes the function that tells where a page should rather be opened. This machine has several names, and a browser
 * keeps cookies for each of them apart: who opens `localhost` where the public address says 127.0.0.1 is sent there,
 * or signing in would end at another name than it began at. Undefined where the address is right, or not ours to decide:
 * a proxy in front may ask by any name.
 */
export function createOwnAddress(publicUrl: string): (request: FastifyRequest) => string | undefined {
  const own = new URL(publicUrl);
  return (request) => {
    const asked = URL.parse(`http://${request.raw.headers.host ?? ''}`);
    if (asked === null || asked.hostname === own.hostname || asked.port !== own.port) return undefined;
    const both = [asked, own].every(({ hostname }) => loopbackName.test(hostname));
    return both ? own.origin + pathPrefixOf(publicUrl) + (request.raw.url ?? '/') : undefined;
  };
}

/** The path of the public address: empty, or as `/renderkit`. All addresses of ours that a browser is given begin with it. */
export function pathPrefixOf(publicUrl: string): string {
  return new URL(publicUrl).pathname.replace(/\/$/, '');
}

/** HTML, or a script, with the path of the public address before each address of ours that stands in quotation marks. */
export function withPathPrefix(text: string, publicUrl: string): string {
  return text.replaceAll(/((?:href|src)="|"url":")\/(?!\/)/g, `$1${pathPrefixOf(publicUrl)}/`);
}
