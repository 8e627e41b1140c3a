import { maxAudioBytes, maxImageBytes, maxVideoBytes } from '@renderkit/contract/v1/limits.ts';
import type { UploadType } from '@renderkit/contract/v1/schemas/upload.ts';
import { formatBytes } from '../format/numbers.ts';
import { convertedTypes } from './as-png.ts';

/**
 * The files that each type of upload accepts, for the file dialog and for people. The service checks the bytes.
 * `media-kit/src/inspect-file.ts` decides which formats are accepted.
 */
export const uploadTypes = {
  image: {
    // The browser converts the last two to PNG.
    accept: ['image/png', 'image/jpeg', ...convertedTypes].join(','),
    formats: 'PNG, JPEG, WebP or AVIF',
    maxBytes: maxImageBytes,
    noun: 'image',
  },
  video: {
    accept: 'video/mp4,video/quicktime',
    formats: 'MP4 or MOV',
    maxBytes: maxVideoBytes,
    noun: 'video',
  },
  audio: {
    accept: 'audio/mpeg,audio/wav,audio/x-wav,audio/mp4,audio/x-m4a',
    formats: 'MP3, WAV or M4A',
    maxBytes: maxAudioBytes,
    noun: 'audio',
  },
} as const satisfies Record<UploadType, { accept: string; formats: string; maxBytes: number; noun: string }>;

/**
 * Returns why a file cannot be uploaded. `undefined` when it may be valid. The service checks files of unknown type.
 */
export function fileIssue(file: Pick<File, 'name' | 'type' | 'size'>, type: UploadType): string | undefined {
  const { accept, formats, maxBytes, noun } = uploadTypes[type];
  if (file.type !== '' && !accept.split(',').includes(file.type))
    return `${file.name} is no ${noun} of a type that can be used: ${formats}.`;
  if (file.size > maxBytes)
    return `${file.name} has ${formatBytes(file.size)}; the ${noun} limit is ${formatBytes(maxBytes)}.`;
  return file.size === 0 ? `${file.name} is empty.` : undefined;
}
