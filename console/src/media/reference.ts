import type { UploadType } from '@renderkit/contract/v1/schemas/upload.ts';

/** Something that a request refers to, with the facts to show it. */
export type Reference = {
  /** The value to send: the id of an upload or of a library item, or an address. */
  value: string;
  type: UploadType;
  /** `null` when only the value is known. */
  url: string | null;
  thumbUrl: string | null;
  name: string;
  nsfw: boolean;
};

/** Returns a reference when only its value is known. */
export function bareReference(value: string, type: UploadType): Reference {
  return { value, type, url: null, thumbUrl: null, name: value, nsfw: false };
}
