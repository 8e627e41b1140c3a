import type { RefusalCode } from '@renderkit/contract/studio/errors.ts';
import type { FileIssue, StoreUploadAnswer } from '@renderkit/contract/studio/schemas/upload.ts';
import {
  maxAudioBytes,
  maxImageBytes,
  maxImagePixels,
  maxVideoBytes,
  maxVideoSeconds,
} from '@renderkit/contract/v1/limits.ts';
import { ApiProblem } from '../problems/api-problem.ts';
import { storageFull } from '../studio-client/translate-error.ts';

const megabyte = 1024 * 1024;

/**
 * The faults of a file, as messages for the field that contained the file. The studio finds them:
 * `studio/src/uploads/store-upload.ts` with `media-kit/src/inspect-file.ts`.
 */
const issues = {
  empty: 'is empty',
  unknown_type: 'is of a type that its bytes do not tell: JPEG, PNG, MP4, MOV, MP3, WAV and M4A are taken',
  unsupported_type: 'is of a type that is not taken: JPEG, PNG, MP4, MOV, MP3, WAV and M4A are',
  broken: 'is damaged or cut short',
  too_large: `is too large: images may have ${maxImageBytes / megabyte} MB, videos ${maxVideoBytes / megabyte} MB, audio ${maxAudioBytes / megabyte} MB, or what the operator allows`,
  too_many_pixels: `has too many pixels: ${maxImagePixels / 1_000_000} million are taken, or what the operator allows`,
  too_long: `is too long: videos may last ${maxVideoSeconds} seconds, or what the operator allows`,
  no_video_track: 'has no video in it',
  no_audio_track: 'has no audio in it',
} as const satisfies Record<FileIssue, string>;

const maskIssues = { unknown_type: 'must be a PNG', unsupported_type: 'must be a PNG' } as const;

/** Returns a message like `is empty`. */
export function fileIssue(reason: FileIssue, as?: 'mask'): string {
  return as === 'mask' ? { ...issues, ...maskIssues }[reason] : issues[reason];
}

/**
 * Makes the problem for a file that the studio refuses from this account. If the studio refuses the project, the field
 * is `project_id`.
 */
export function refusedFile({ refusal }: Extract<StoreUploadAnswer, { outcome: 'refused' }>): ApiProblem {
  if (refusal.field === 'project_id') return noSuchProject();
  const code: RefusalCode = refusal.code;
  if (code === 'storage_full') return storageFull(refusal.storage);
  switch (code) {
    case 'tier_required':
      return new ApiProblem('tier_required', { detail: 'The plan does not include uploads of this type.' });
    case 'moderation_blocked':
    case 'unprocessable':
      return new ApiProblem('unprocessable', { detail: 'The studio does not take this file.' });
    case 'quote_invalid':
    case 'concurrency':
    case 'model_paused':
      return new ApiProblem('upstream_error', { detail: 'The studio answered with an unexpected error.' });
    default:
      return new ApiProblem('forbidden', { detail: 'The studio does not take files from this account.' });
  }
}

export function noSuchProject(): ApiProblem {
  return new ApiProblem('invalid_request', {
    errors: [{ field: 'project_id', message: 'there is no such project' }],
  });
}

/** The message for a file that is already too large before its type is known. */
export const tooLarge = issues.too_large;
