import type { UploadType } from '@renderkit/contract/v1/schemas/upload.ts';

/** Something a request refers to, with what a page needs to show it. */
export type Reference = {
  /** What is sent: id of an upload or of a library item, or an address. */
  value: string;
  type: UploadType;
  /** Null where only the value is known. */
  url: string | null;
  thumbUrl: string | null;
  name: string;
  nsfw: boolean;
};

/** A reference of which only the value is known. */
export function bareReference(value: string, type: UploadType): Reference {
  return { value, type, url: null, thumbUrl: null, name: value, nsfw: false };
}
