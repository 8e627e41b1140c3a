const told = globalThis.document?.querySelector<HTMLMetaElement>('meta[name="path-prefix"]')?.content ?? '';

/** The path below which the service is reached: empty, or as `/renderkit`. The service writes it into the page. */
export const pathPrefix = told.startsWith('/') ? told : '';

/** A path of the service as a browser has to ask for it. */
export function ownPath(path: string): string {
  return pathPrefix + path;
}
