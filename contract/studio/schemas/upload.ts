import { Type, type Static } from 'typebox';
import { Refusal } from './error.ts';
import { id, link, longText, nullable, oneOf, shortText, time } from './schema-builders.ts';

export const uploadTypes = ['image', 'video', 'audio'] as const;
export const uploadStatuses = ['processing', 'ready', 'rejected'] as const;
export const StudioUpload = Type.Object({
  /** The client's own name for it: the service sends its upload's id. */
  token: id,
  type: oneOf(uploadTypes),
  status: oneOf(uploadStatuses),
  url: link,
  file_name: shortText,
  /** Detected from the bytes. */
  content_type: shortText,
  size_bytes: Type.Integer({ minimum: 0, maximum: 1e12 }),
  /** Pixels, as a viewer shows it. */
  width: nullable(Type.Number()),
  height: nullable(Type.Number()),
  duration_seconds: nullable(Type.Number()),
  project_id: nullable(id),
  /** Why it was rejected. */
  error: nullable(longText),
  created_at: time,
});
export type StudioUpload = Static<typeof StudioUpload>;

/** The body of `storeUpload` is the file itself, `application/octet-stream`; what is said of it comes in the query. */
export const StoreUploadQuery = Type.Object({
  file_name: Type.Optional(Type.String({ maxLength: 255 })),
  project_id: Type.Optional(id),
  /** A mask or an import for one generation: kept out of what people see. */
  hidden: Type.Optional(Type.Boolean()),
  /**
   * The transparency of an image is meant as a mask, as some APIs have it: it is kept as a grey PNG, white where it is
   * transparent. An image without any is kept as it is.
   */
  mask_channel: Type.Optional(oneOf(['alpha'] as const)),
  /** So many bytes come at least, where that is known before: what cannot fit is refused without reading them. */
  least_bytes: Type.Optional(Type.Integer({ minimum: 0, maximum: 1e12 })),
});

/** What is wrong with a file, as far as reading its head and its structure tells. */
export const fileIssues = [
  'empty',
  'unknown_type',
  'unsupported_type',
  'broken',
  'too_large',
  'too_many_pixels',
  'too_long',
  'no_video_track',
  'no_audio_track',
] as const;
export type FileIssue = (typeof fileIssues)[number];

/** The same token gets the same answer again; refused files are not remembered. */
export const StoreUploadAnswer = Type.Union([
  Type.Object({ outcome: Type.Literal('stored'), upload: StudioUpload }),
  /** The file cannot be taken; the message is a sentence for whoever sent it. */
  Type.Object({
    outcome: Type.Literal('unusable'),
    reason: oneOf(fileIssues),
    message: longText,
  }),
  /** The account may not send this; `field` is `project_id` where the project is not the account's. */
  Type.Object({ outcome: Type.Literal('refused'), refusal: Refusal }),
]);
export type StoreUploadAnswer = Static<typeof StoreUploadAnswer>;

export const MoveUploadRequest = Type.Object({ project_id: id });
export const UploadsLookupAnswer = Type.Object({ uploads: Type.Array(StudioUpload, { maxItems: 200 }) });
export const DeletedAnswer = Type.Object({ deleted: Type.Literal(true) });
