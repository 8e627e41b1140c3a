import type { StudioUpload } from '@renderkit/contract/studio/schemas/upload.ts';

/** Puts the studio's public address before the link of an upload; the database keeps only the path. */
export function presentUpload(upload: StudioUpload, mediaUrl: string): StudioUpload {
  return { ...upload, url: mediaUrl + upload.url };
}
