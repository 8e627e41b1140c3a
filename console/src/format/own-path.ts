const told = globalThis.document?.querySelector<HTMLMetaElement>('meta[name="path-prefix"]')?.content ?? '';

/**
 * The path prefix of the service: empty, or for example `/renderkit`. The service writes it into the page.
 * `service/src/console-api/files.ts` serves the page.
 */
export const pathPrefix = told.startsWith('/') ? told : '';

/** Returns a path of the service with the prefix, as the browser must request it. */
export function ownPath(path: string): string {
  return pathPrefix + path;
}
