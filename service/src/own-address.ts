import type { FastifyRequest } from 'fastify';

const loopbackName = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/;

/**
 * Makes a function that returns the address to which a page should redirect. This machine has several names, and a
 * browser keeps separate cookies for each. When the public address is 127.0.0.1 and the browser opens `localhost`, it
 * is redirected; otherwise a sign-in would end under another name than it began. The function returns `undefined` when
 * the address is right, or when a proxy in front may use other names.
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

/** Returns the path of the public address: empty, or like `/renderkit`. All our addresses in pages begin with it. */
export function pathPrefixOf(publicUrl: string): string {
  return new URL(publicUrl).pathname.replace(/\/$/, '');
}

/** Puts the path of the public address before each of our addresses in quotation marks in HTML or a script. */
export function withPathPrefix(text: string, publicUrl: string): string {
  return text.replaceAll(/((?:href|src)="|"url":")\/(?!\/)/g, `$1${pathPrefixOf(publicUrl)}/`);
}
