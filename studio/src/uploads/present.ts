import type { StudioUpload } from '@renderkit/contract/studio/schemas/upload.ts';

/** Puts the studio's public address before the link of an upload as the database keeps it. */
export function presentUpload(upload: StudioUpload, mediaUrl: string): StudioUpload {
  return { ...upload, url: mediaUrl + upload.url };
}
