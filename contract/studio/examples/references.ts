import type { Issue } from '../issues.ts';
import type { OwnMedia } from '../validate-references.ts';
import type { Example } from './example.ts';

const image: OwnMedia = {
  type: 'image',
  from: 'library',
  status: 'ready',
  content_type: 'image/png',
  size_bytes: 4_096,
  width: 160,
  height: 120,
  duration: null,
};
const video: OwnMedia = { ...image, type: 'video', content_type: 'video/mp4', duration: 4 };
const audio: OwnMedia = {
  ...image,
  type: 'audio',
  content_type: 'audio/mpeg',
  width: null,
  height: null,
  duration: 20,
};
const upload = { from: 'upload' } as const;

/** The media of the account in the examples, by the ids that requests use. */
export const exampleMedia: Readonly<Record<string, OwnMedia>> = {
  image,
  video,
  audio,
  jpeg: { ...image, content_type: 'image/jpeg' },
  'mask/half': { ...image, ...upload, width: 80, height: 60 },
  'mask/rounded': { ...image, ...upload, width: 53, height: 39 },
  'mask/square': { ...image, ...upload, width: 90, height: 90 },
  'mask/unseen': { ...image, ...upload, status: 'processing', width: null, height: null },
  rejected: { ...image, ...upload, status: 'rejected' },
  'video/uploaded': { ...video, ...upload },
  'video/long': { ...video, duration: 31 },
  'video/small': { ...video, width: 100, height: 90 },
  'video/flat': { ...video, height: 90 },
  'video/heavy': { ...video, size_bytes: 11 * 1024 * 1024 },
  'audio/long': { ...audio, duration: 30.5 },
};

/** A request, and the result of validating the media that its references name. */
export type ReferenceExample = Omit<Example, 'model' | 'issues' | 'request'> & {
  kind: 'image' | 'image_edit' | 'video' | 'video_extend';
  /** Ids of uploads that will exist before the submit. */
  coming?: readonly string[];
  finds: { unknown?: readonly string[]; issues?: readonly Issue[]; rejected?: string; waits?: boolean };
};

const inpaint = { image: 'image', mode: 'inpaint' } as const;

export const referenceExamples: readonly ReferenceExample[] = [
  {
    about: 'images from the library and by upload',
    kind: 'image',
    asked: { reference_images: ['image', 'mask/half'] },
    finds: {},
  },
  {
    about: 'an id that the account does not have',
    kind: 'image',
    asked: { reference_images: ['image', 'nobody'] },
    finds: { unknown: ['reference_images[1]'] },
  },
  {
    about: 'an upload that will be there',
    kind: 'image',
    asked: { reference_images: ['soon'] },
    coming: ['soon'],
    finds: {},
  },
  {
    about: 'a video for an image',
    kind: 'image_edit',
    asked: { image: 'video' },
    finds: { issues: [{ field: 'image', code: 'not_an_image' }] },
  },
  {
    about: 'an upload that is still being looked at',
    kind: 'image_edit',
    asked: { ...inpaint, mask: 'mask/unseen' },
    finds: { waits: true },
  },
  {
    about: 'uploads that were rejected: the first is told',
    kind: 'image',
    asked: { reference_images: ['image', 'rejected', 'rejected'] },
    finds: { rejected: 'reference_images[1]' },
  },
  {
    about: 'a mask of half the size',
    kind: 'image_edit',
    asked: { ...inpaint, mask: 'mask/half' },
    finds: {},
  },
  {
    about: 'a mask that is a pixel off, by rounding',
    kind: 'image_edit',
    asked: { ...inpaint, mask: 'mask/rounded' },
    finds: {},
  },
  {
    about: 'a mask of another ratio',
    kind: 'image_edit',
    asked: { ...inpaint, mask: 'mask/square' },
    finds: { issues: [{ field: 'mask', code: 'other_ratio' }] },
  },
  {
    about: 'a mask that is a JPEG',
    kind: 'image_edit',
    asked: { ...inpaint, mask: 'jpeg' },
    finds: { issues: [{ field: 'mask', code: 'not_a_png' }] },
  },
  {
    about: 'an image for audio',
    kind: 'video',
    asked: { reference_audios: ['image'] },
    finds: { issues: [{ field: 'reference_audios[0]', code: 'not_an_audio' }] },
  },
  {
    about: 'audio of the longest length, and beyond',
    kind: 'video',
    asked: { reference_audios: ['audio', 'audio/long'] },
    finds: { issues: [{ field: 'reference_audios[1]', code: 'too_long', asked: 30.5, allowed: 30 }] },
  },
  {
    about: 'an image for a source video',
    kind: 'video',
    asked: { source_video: 'image' },
    finds: { issues: [{ field: 'source_video', code: 'not_a_video' }] },
  },
  {
    about: 'a source video that is too long',
    kind: 'video',
    asked: { source_video: 'video/long' },
    finds: { issues: [{ field: 'source_video', code: 'too_long', asked: 31, allowed: 30 }] },
  },
  {
    about: 'a source video that is too narrow',
    kind: 'video',
    asked: { source_video: 'video/small' },
    finds: { issues: [{ field: 'source_video', code: 'too_narrow', asked: 100, allowed: 128 }] },
  },
  {
    about: 'a source video that is too low',
    kind: 'video',
    asked: { source_video: 'video/flat' },
    finds: { issues: [{ field: 'source_video', code: 'too_low', asked: 90, allowed: 96 }] },
  },
  {
    about: 'a source video that is too large',
    kind: 'video',
    asked: { source_video: 'video/heavy' },
    finds: { issues: [{ field: 'source_video', code: 'too_large', allowed: 10 }] },
  },
  { about: 'a video to extend', kind: 'video_extend', asked: { video_id: 'video' }, finds: {} },
  {
    about: 'an upload to extend, which is nothing of the library',
    kind: 'video_extend',
    asked: { video_id: 'video/uploaded' },
    finds: { unknown: ['video_id'] },
  },
  {
    about: 'an image to extend',
    kind: 'video_extend',
    asked: { video_id: 'image' },
    finds: { issues: [{ field: 'video_id', code: 'not_a_video' }] },
  },
];
