import type { Example } from './example.ts';

/** The first bytes of a PNG. */
const mask = 'data:image/png;base64,iVBORw0KGgo=';
const tooLongId = 'a'.repeat(201);

/** Requests for edits, valid and invalid. */
export const imageEditExamples: readonly Example[] = [
  {
    about: 'an image and words: a transform at half strength, in the ratio of its source',
    model: 'brush',
    asked: { image: 'lib_1', prompt: 'in winter' },
    issues: [],
    request: {
      image: 'lib_1',
      mode: 'transform',
      strength: 0.5,
      aspect_ratio: undefined,
      mask_blur: undefined,
    },
  },
  {
    about: 'a model that cannot keep a ratio: the first that it lists',
    model: 'blunt',
    asked: { image: 'lib_1', prompt: 'in winter' },
    issues: [],
    request: { aspect_ratio: '16:9', options: { look: 'calm' } },
  },
  {
    about: 'an inpaint: it refines at half strength, with the blur of the model',
    model: 'brush',
    asked: { image: 'lib_1', prompt: 'in winter', mode: 'inpaint', mask },
    issues: [],
    request: { mode: 'inpaint', mask, inpaint_type: 'refine', strength: 0.5, mask_blur: 4 },
  },
  {
    about: 'an inpaint that fills: it departs further',
    model: 'brush',
    asked: { image: 'lib_1', prompt: 'in winter', mode: 'inpaint', mask, inpaint_type: 'fill', mask_blur: 0 },
    issues: [],
    request: { inpaint_type: 'fill', strength: 0.8, mask_blur: 0 },
  },
  {
    about: 'no prompt',
    model: 'brush',
    asked: { image: 'lib_1' },
    issues: [{ field: 'prompt', code: 'required' }],
  },
  {
    about: 'an image that is a data address',
    model: 'brush',
    asked: { image: 'data:image/png;base64,AA', prompt: 'in winter' },
    issues: [{ field: 'image', code: 'not_a_reference' }],
  },
  {
    about: 'an image over http',
    model: 'brush',
    asked: { image: 'http://example.com/a.png', prompt: 'in winter' },
    issues: [{ field: 'image', code: 'not_a_reference' }],
  },
  {
    about: 'an image with a long id',
    model: 'brush',
    asked: { image: tooLongId, prompt: 'in winter' },
    issues: [{ field: 'image', code: 'unknown_item' }],
  },
  {
    about: 'a mask without inpaint',
    model: 'brush',
    asked: { image: 'lib_1', prompt: 'in winter', mask },
    issues: [{ field: 'mask', code: 'inpaint_only' }],
  },
  {
    about: 'a type of inpaint without inpaint',
    model: 'brush',
    asked: { image: 'lib_1', prompt: 'in winter', inpaint_type: 'fill' },
    issues: [{ field: 'inpaint_type', code: 'inpaint_only' }],
  },
  {
    about: 'a blur without inpaint',
    model: 'brush',
    asked: { image: 'lib_1', prompt: 'in winter', mode: 'transform', mask_blur: 4 },
    issues: [{ field: 'mask_blur', code: 'inpaint_only' }],
  },
  {
    about: 'inpaint without a mask',
    model: 'brush',
    asked: { image: 'lib_1', prompt: 'in winter', mode: 'inpaint' },
    issues: [{ field: 'mask', code: 'required_by_inpaint' }],
  },
  {
    about: 'an empty mask',
    model: 'brush',
    asked: { image: 'lib_1', prompt: 'in winter', mode: 'inpaint', mask: '' },
    issues: [{ field: 'mask', code: 'not_a_mask' }],
  },
  {
    about: 'a mask from the library',
    model: 'brush',
    asked: { image: 'lib_1', prompt: 'in winter', mode: 'inpaint', mask: 'lib_1' },
    issues: [{ field: 'mask', code: 'not_a_mask' }],
  },
  {
    about: 'a mask from an address',
    model: 'brush',
    asked: { image: 'lib_1', prompt: 'in winter', mode: 'inpaint', mask: 'https://example.com/m.png' },
    issues: [{ field: 'mask', code: 'not_a_mask' }],
  },
  {
    about: 'a mask that is a JPEG',
    model: 'brush',
    asked: { image: 'lib_1', prompt: 'in winter', mode: 'inpaint', mask: 'data:image/jpeg;base64,AA' },
    issues: [{ field: 'mask', code: 'not_a_mask' }],
  },
  {
    about: 'a mask that is no base64',
    model: 'brush',
    asked: { image: 'lib_1', prompt: 'in winter', mode: 'inpaint', mask: 'data:image/png,AA' },
    issues: [{ field: 'mask', code: 'not_a_mask' }],
  },
  {
    about: 'a mask by upload',
    model: 'brush',
    asked: { image: 'lib_1', prompt: 'in winter', mode: 'inpaint', mask: 'upl_1' },
    issues: [],
  },
  {
    about: 'inpaint by a model that cannot',
    model: 'blunt',
    asked: { image: 'lib_1', prompt: 'in winter', mode: 'inpaint', mask },
    issues: [{ field: 'mode', code: 'cannot_inpaint' }],
  },
  {
    about: 'a blur that the model lacks',
    model: 'blunt',
    asked: { image: 'lib_1', prompt: 'in winter', mode: 'inpaint', mask, mask_blur: 4 },
    issues: [
      { field: 'mode', code: 'cannot_inpaint' },
      { field: 'mask_blur', code: 'not_a_setting' },
    ],
  },
  {
    about: 'a blur too wide',
    model: 'brush',
    asked: { image: 'lib_1', prompt: 'in winter', mode: 'inpaint', mask, mask_blur: 65 },
    issues: [{ field: 'mask_blur', code: 'out_of_range', asked: 65, allowed: { min: 0, max: 64 } }],
  },
  {
    about: 'a blur between steps',
    model: 'brush',
    asked: { image: 'lib_1', prompt: 'in winter', mode: 'inpaint', mask, mask_blur: 4.5 },
    issues: [{ field: 'mask_blur', code: 'off_step', asked: 4.5, allowed: { min: 0, step: 1 } }],
  },
  {
    about: 'a ratio not on offer',
    model: 'brush',
    asked: { image: 'lib_1', prompt: 'in winter', aspect_ratio: '7:3' },
    issues: [{ field: 'aspect_ratio', code: 'not_offered', asked: '7:3', allowed: ['1:1'] }],
  },
  {
    about: 'weight where there is none',
    model: 'brush',
    asked: { image: 'lib_1', prompt: 'in winter', weight: 1 },
    issues: [{ field: 'weight', code: 'not_a_setting' }],
  },
  {
    about: 'a reference where none is taken',
    model: 'brush',
    asked: { image: 'lib_1', prompt: 'in winter', reference_images: ['a'] },
    issues: [{ field: 'reference_images', code: 'not_taken' }],
  },
  {
    about: 'a style for videos',
    model: 'brush',
    asked: { image: 'lib_1', prompt: 'in winter', styles: ['film'] },
    issues: [{ field: 'styles[0]', code: 'style_of_other_type', asked: 'film', allowed: 'video' }],
  },
];
