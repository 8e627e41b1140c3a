import { createHmac, type KeyObject } from 'node:crypto';

/**
 * The unguessable folder of one output: 190 bits that nobody without the studio's key can work out, and that the
 * studio can work out again, so that what a killed try left behind can be found and removed.
 */
export function mediaFolder(mediaKey: KeyObject, render: string, attempt: number, position: number): string {
  return createHmac('sha256', mediaKey)
    .update(`${render} ${attempt} ${position}`)
    .digest('base64url')
    .replace(/[-_]/g, 'x')
    .slice(0, 32);
}
