import { Type, type Static } from 'typebox';
import { maxPathIdCharacters, maxProjectIdCharacters } from '../limits.ts';
import { realAnswers } from '../real-answers.ts';
import { closed, nullable, oneOf, timestamp } from './schema-builders.ts';

/** The studio decides the status: `studio/src/uploads/check-upload.ts`. */
export const uploadStatuses = ['processing', 'ready', 'rejected'] as const;
export type UploadStatus = (typeof uploadStatuses)[number];

export const uploadTypes = ['image', 'video', 'audio'] as const;
export type UploadType = (typeof uploadTypes)[number];

export const Upload = closed(
  {
    id: Type.String({ description: 'Starts with `upl_`; can be sent wherever a reference is taken.' }),
    object: Type.Literal('upload'),
    status: oneOf(uploadStatuses),
    type: oneOf(uploadTypes),
    url: Type.String({ description: "A link to the studio's storage." }),
    file_name: Type.String({ description: 'As it was sent; nothing is decided by it.' }),
    content_type: Type.String({ description: 'Detected from the bytes, not from the name.' }),
    size_bytes: Type.Integer({ minimum: 0, description: 'Bytes of the file.' }),
    width: nullable(Type.Number(), { description: 'Pixels.' }),
    height: nullable(Type.Number(), { description: 'Pixels.' }),
    error: nullable(Type.String(), { description: 'Why it was rejected.' }),
    created_at: timestamp('When it arrived.'),
  },
  {
    title: 'Upload',
    description: 'A file of the client, to be used in generations.',
    examples: [realAnswers.upload],
  },
);

export type Upload = Static<typeof Upload>;

const projectId = Type.String({
  maxLength: maxProjectIdCharacters,
  description: 'Project that it belongs to.',
});

export const CreateUploadRequest = closed(
  {
    url: Type.String({ format: 'uri', description: 'Public https address from which the file is fetched.' }),
    project_id: Type.Optional(projectId),
  },
  {
    title: 'CreateUploadRequest',
    description: 'Imports a file from an address.',
    examples: [{ url: 'https://example.com/lake.jpg' }],
  },
);

/** The parts of a multipart form that uploads a file. */
export const UploadForm = closed(
  {
    file: Type.String({
      format: 'binary',
      description: 'JPEG, PNG, MP4, MOV, or audio where the plan has it.',
    }),
    project_id: Type.Optional(projectId),
  },
  { title: 'UploadForm', description: 'Sends a file.' },
);

export const DeletedUpload = closed(
  {
    id: Type.String({ description: 'Id that the upload had.' }),
    object: Type.Literal('upload'),
    deleted: Type.Literal(true),
  },
  {
    title: 'DeletedUpload',
    description: 'Says that the upload is gone, with its file.',
    examples: [{ id: realAnswers.upload.id, object: 'upload', deleted: true }],
  },
);

export const UploadParams = closed({
  id: Type.String({ minLength: 1, maxLength: maxPathIdCharacters, description: 'Id of the upload.' }),
});
