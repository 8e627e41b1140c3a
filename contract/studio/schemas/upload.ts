import { Type, type Static } from 'typebox';
import { Refusal } from './error.ts';
import { id, link, longText, nullable, oneOf, shortText, time } from './schema-builders.ts';

export const uploadTypes = ['image', 'video', 'audio'] as const;
export const uploadStatuses = ['processing', 'ready', 'rejected'] as const;
export const StudioUpload = Type.Object({
  /** The client's own name for the upload: the service sends its upload's id. */
  token: id,
  type: oneOf(uploadTypes),
  status: oneOf(uploadStatuses),
  url: link,
  file_name: shortText,
  /** Detected from the bytes. */
  content_type: shortText,
  size_bytes: Type.Integer({ minimum: 0, maximum: 1e12 }),
  /** Pixels, as a viewer displays the file. */
  width: nullable(Type.Number()),
  height: nullable(Type.Number()),
  duration_seconds: nullable(Type.Number()),
  project_id: nullable(id),
  /** Why the upload was rejected. */
  error: nullable(longText),
  created_at: time,
});
export type StudioUpload = Static<typeof StudioUpload>;

/** The body of `storeUpload` is the file itself, `application/octet-stream`; the query contains its properties. */
export const StoreUploadQuery = Type.Object({
  file_name: Type.Optional(Type.String({ maxLength: 255 })),
  project_id: Type.Optional(id),
  /** True for a mask or an import for one generation: people do not see it in lists. */
  hidden: Type.Optional(Type.Boolean()),
  /**
   * Uses the transparency of the image as a mask, as some APIs do. It is stored as a grey PNG that is white where the
   * image is transparent. An image without transparency is stored unchanged.
   */
  mask_channel: Type.Optional(oneOf(['alpha'] as const)),
  /** The minimum number of bytes, if it is known in advance: a file that cannot fit is refused without reading it. */
  least_bytes: Type.Optional(Type.Integer({ minimum: 0, maximum: 1e12 })),
});

/**
 * Problems of a file that can be found by reading its head and its structure. `media-kit/src/inspect-file.ts` and
 * the checks that it calls find them; `service/src/uploads/file-issues.ts` has the messages.
 */
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

/** The same token gets the same answer again; refusals of files are not stored. */
export const StoreUploadAnswer = Type.Union([
  Type.Object({ outcome: Type.Literal('stored'), upload: StudioUpload }),
  /** The file cannot be used; the message is a sentence for its sender. */
  Type.Object({
    outcome: Type.Literal('unusable'),
    reason: oneOf(fileIssues),
    message: longText,
  }),
  /** The account may not send this; `field` is `project_id` when the account does not have the project. */
  Type.Object({ outcome: Type.Literal('refused'), refusal: Refusal }),
]);
export type StoreUploadAnswer = Static<typeof StoreUploadAnswer>;

export const MoveUploadRequest = Type.Object({ project_id: id });
export const UploadsLookupAnswer = Type.Object({ uploads: Type.Array(StudioUpload, { maxItems: 200 }) });
export const DeletedAnswer = Type.Object({ deleted: Type.Literal(true) });
