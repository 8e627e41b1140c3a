import { createHmac, type KeyObject } from 'node:crypto';

/**
 * Returns the folder of one output: 190 unguessable bits. Only the studio's key allows to compute them. The studio can
 * compute them again to find and remove what a killed try left behind. `routes.ts` serves the links.
 */
export function mediaFolder(mediaKey: KeyObject, render: string, attempt: number, position: number): string {
  return createHmac('sha256', mediaKey)
    .update(`${render} ${attempt} ${position}`)
    .digest('base64url')
    .replace(/[-_]/g, 'x')
    .slice(0, 32);
}
