import type { Example } from './example.ts';

/** Requests for extensions, valid and invalid. */
export const videoExtendExamples: readonly Example[] = [
  {
    about: 'a video alone: the first length and the default resolution',
    model: 'onward',
    asked: { video_id: 'lib_1' },
    issues: [],
    request: { video_id: 'lib_1', duration_seconds: 4, resolution: '480p', options: { resolution: '480p' } },
  },
  {
    about: 'a resolution, which is an option too',
    model: 'onward',
    asked: { video_id: 'lib_1', resolution: '720p', duration: '7.5' },
    issues: [],
    request: { duration_seconds: 7.5, resolution: '720p', options: { resolution: '720p' } },
  },
  {
    about: 'no video',
    model: 'onward',
    asked: {},
    issues: [{ field: 'video_id', code: 'required' }],
  },
  {
    about: 'a resolution not on offer',
    model: 'onward',
    asked: { video_id: 'lib_1', resolution: '8k' },
    issues: [{ field: 'resolution', code: 'not_offered', asked: '8k', allowed: ['480p', '720p'] }],
  },
  {
    about: 'an empty resolution',
    model: 'onward',
    asked: { video_id: 'lib_1', resolution: '' },
    issues: [{ field: 'resolution', code: 'not_offered', asked: '', allowed: ['480p', '720p'] }],
  },
  {
    about: 'a length not on offer',
    model: 'onward',
    asked: { video_id: 'lib_1', duration: 5 },
    issues: [{ field: 'duration', code: 'not_offered', asked: 5, allowed: ['4', '7.5'] }],
  },
  {
    about: 'an upload for its video',
    model: 'onward',
    asked: { video_id: 'upl_1' },
    issues: [{ field: 'video_id', code: 'not_a_library_video' }],
  },
  {
    about: 'an address for its video',
    model: 'onward',
    asked: { video_id: 'https://example.com/a.mp4' },
    issues: [{ field: 'video_id', code: 'not_a_library_video' }],
  },
  {
    about: 'a style for images',
    model: 'onward',
    asked: { video_id: 'lib_1', styles: ['ink'] },
    issues: [{ field: 'styles[0]', code: 'style_of_other_type', asked: 'ink', allowed: 'image' }],
  },
  {
    about: 'a style for videos',
    model: 'onward',
    asked: { video_id: 'lib_1', styles: ['film'] },
    issues: [],
  },
  {
    about: 'an empty project',
    model: 'onward',
    asked: { video_id: 'lib_1', project_id: '' },
    issues: [{ field: 'project_id', code: 'unknown_project', asked: '' }],
  },
  {
    about: 'all of it wrong',
    model: 'onward',
    asked: { video_id: 'upl_1', resolution: 'x', duration: 'x', styles: ['x'], suggestions: ['x'] },
    issues: [
      { field: 'styles[0]', code: 'unknown_style', asked: 'x' },
      { field: 'suggestions[0]', code: 'unknown_suggestion', asked: 'x' },
      { field: 'video_id', code: 'not_a_library_video' },
      { field: 'duration', code: 'not_offered', asked: 'x', allowed: ['4', '7.5'] },
      { field: 'resolution', code: 'not_offered', asked: 'x', allowed: ['480p', '720p'] },
    ],
  },
  {
    about: 'a resolution where there is none',
    model: 'onward/one-size',
    asked: { video_id: 'lib_1', resolution: '480p' },
    issues: [{ field: 'resolution', code: 'unknown_option', asked: 'resolution', allowed: [] }],
  },
  {
    about: 'a model without resolutions',
    model: 'onward/one-size',
    asked: { video_id: 'lib_1' },
    issues: [],
    request: { resolution: undefined, options: {} },
  },
  {
    about: 'no prompt where one is required',
    model: 'onward/wordy',
    asked: { video_id: 'lib_1' },
    issues: [{ field: 'prompt', code: 'required' }],
  },
];
