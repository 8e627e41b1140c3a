import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { RequestOf } from '@renderkit/contract/studio/schemas/render.ts';
import type { CreateEditRequest } from '@renderkit/contract/v1/schemas/generation-requests.ts';
import { exampleCatalog, exampleEditModel, exampleModel } from '../../test/example-catalog.ts';
import { refusedFields } from '../../test/refused-fields.ts';
import { validateBody } from './validate-body.ts';

const catalog = {
  ...exampleCatalog(),
  models: [
    exampleModel(),
    exampleEditModel(),
    exampleEditModel({
      id: 'blunt',
      default_for: [],
      inpaint: false,
      price: { base_millicredits: 3_000, per_reference_millicredits: 250, options: { look: { wild: 500 } } },
      parameters: {
        same_ratio_supported: false,
        mask_blur: null,
        max_reference_images: 2,
        aspect_ratios: [
          { ratio: '16:9', width: 128, height: 72 },
          { ratio: '1:1', width: 64, height: 64 },
        ],
        cfg: { min: 1, max: 20, step: 0.5, default: 7 },
        weight: { min: 0.3, max: 2, step: 0.1, default: 1 },
        clip_skip: { min: 1, max: 4, step: 1, default: 2 },
        sampler: 'brush, knife',
        options: [
          {
            key: 'look',
            name: 'Look',
            type: 'select',
            values: [
              { value: 'calm', label: 'Calm' },
              { value: 'wild', label: 'Wild' },
            ],
            default: 'calm',
          },
        ],
      },
    }),
  ],
};
const validate = (body: CreateEditRequest) => {
  const validated = validateBody(catalog, 'image_edit', body);
  return { ...validated, renderRequest: validated.renderRequest as RequestOf<'image_edit'> };
};
const refused = (body: CreateEditRequest) => refusedFields(catalog, 'image_edit', body);

const fine: CreateEditRequest = { image: 'lib_1', prompt: 'in winter' };
const mask = 'data:image/png;base64,iVBORw0KGgo=';
const inpaint: CreateEditRequest = { ...fine, mode: 'inpaint', mask };

describe('an edit', () => {
  test('with nothing but an image and a prompt is a transform at half strength, in the ratio of its source', () => {
    const validated = validate(fine);
    assert.deepEqual(validated.renderRequest, {
      kind: 'image_edit',
      model: 'brush',
      project_id: null,
      prompt: 'in winter',
      styles: [],
      suggestions: [],
      options: {},
      reference_images: [],
      image: 'lib_1',
      mode: 'transform',
      strength: 0.5,
    });
    assert.deepEqual([validated.lane, validated.costMillicredits, validated.outputs], ['edit', 3_000, 1]);
  });

  test('by a model that cannot keep a ratio has the first that the model lists', () => {
    assert.equal(validate({ ...fine, model: 'blunt' }).renderRequest.aspect_ratio, '16:9');
    assert.equal(
      validate({ ...fine, model: 'blunt', aspect_ratio: '1:1' }).renderRequest.aspect_ratio,
      '1:1',
    );
    assert.equal(validate({ ...fine, aspect_ratio: '1:1' }).renderRequest.aspect_ratio, '1:1');
  });

  test('that inpaints refines at half strength, and fills at 0.8, with the blur of the model', () => {
    const parts = ({ mode, strength, mask: of, inpaint_type, mask_blur }: Record<string, unknown>) => [
      mode,
      strength,
      of,
      inpaint_type,
      mask_blur,
    ];
    assert.deepEqual(parts(validate(inpaint).renderRequest), ['inpaint', 0.5, mask, 'refine', 4]);
    assert.deepEqual(parts(validate({ ...inpaint, inpaint_type: 'fill' }).renderRequest), [
      'inpaint',
      0.8,
      mask,
      'fill',
      4,
    ]);
    const asked = validate({
      ...inpaint,
      mask: 'upl_1',
      inpaint_type: 'fill',
      strength: 0.1,
      mask_blur: 0,
    });
    assert.deepEqual(parts(asked.renderRequest), ['inpaint', 0.1, 'upl_1', 'fill', 0]);
  });

  test('takes every setting that an image takes, and is priced by them', () => {
    const { renderRequest, costMillicredits } = validate({
      ...fine,
      model: 'blunt',
      options: { look: 'wild' },
      cfg: 1.5,
      weight: 0.7,
      clip_skip: 4,
      sampler: 'knife',
      reference_images: ['lib_2', 'lib_3'],
      styles: ['ink'],
      project_id: 'prj_1',
      strength: 1,
    });
    assert.deepEqual(renderRequest, {
      kind: 'image_edit',
      model: 'blunt',
      project_id: 'prj_1',
      prompt: 'in winter',
      styles: ['ink'],
      suggestions: [],
      options: { look: 'wild' },
      cfg: 1.5,
      reference_images: ['lib_2', 'lib_3'],
      aspect_ratio: '16:9',
      weight: 0.7,
      clip_skip: 4,
      sampler: 'knife',
      image: 'lib_1',
      mode: 'transform',
      strength: 1,
    });
    assert.equal(costMillicredits, 3_000 + 500 + 2 * 250);
  });

  const cases: [string, CreateEditRequest, string[]][] = [
    ['a model for images', { ...fine, model: 'plain' }, ['model']],
    ['no prompt', { image: 'lib_1' }, ['prompt']],
    ['an image that is a data address', { ...fine, image: 'data:image/png;base64,AA' }, ['image']],
    ['an image over http', { ...fine, image: 'http://example.com/a.png' }, ['image']],
    ['an image with a long id', { ...fine, image: 'x'.repeat(201) }, ['image']],
    ['a mask without inpaint', { ...fine, mask }, ['mask']],
    ['a type of inpaint without inpaint', { ...fine, inpaint_type: 'fill' }, ['inpaint_type']],
    ['a blur without inpaint', { ...fine, mode: 'transform', mask_blur: 4 }, ['mask_blur']],
    ['inpaint without a mask', { ...fine, mode: 'inpaint' }, ['mask']],
    ['an empty mask', { ...inpaint, mask: '' }, ['mask']],
    ['a mask from the library', { ...inpaint, mask: 'lib_1' }, ['mask']],
    ['a mask from an address', { ...inpaint, mask: 'https://example.com/m.png' }, ['mask']],
    ['a mask that is a JPEG', { ...inpaint, mask: 'data:image/jpeg;base64,AA' }, ['mask']],
    ['a mask that is no base64', { ...inpaint, mask: 'data:image/png,AA' }, ['mask']],
    ['a mask by upload', { ...inpaint, mask: 'upl_1' }, []],
    ['inpaint by a model that cannot', { ...inpaint, model: 'blunt' }, ['mode']],
    ['a blur that the model lacks', { ...inpaint, model: 'blunt', mask_blur: 4 }, ['mode', 'mask_blur']],
    ['a blur too wide', { ...inpaint, mask_blur: 65 }, ['mask_blur']],
    ['a blur between steps', { ...inpaint, mask_blur: 4.5 }, ['mask_blur']],
    ['a ratio not on offer', { ...fine, aspect_ratio: '7:3' }, ['aspect_ratio']],
    ['weight where there is none', { ...fine, weight: 1 }, ['weight']],
    ['a reference where none is taken', { ...fine, reference_images: ['a'] }, ['reference_images']],
    ['a style for videos', { ...fine, styles: ['film'] }, ['styles[0]']],
  ];
  for (const [what, body, fields] of cases)
    test(`with ${what} is ${fields.length === 0 ? 'fine' : `refused at ${fields.join(', ')}`}`, () => {
      assert.deepEqual(refused(body), fields);
    });

  test('is told all that is wrong at once, with a model and without', () => {
    const everything: CreateEditRequest = {
      image: 'ftp://x',
      mask: 'x',
      inpaint_type: 'fill',
      mask_blur: 99,
      styles: ['x'],
      reference_images: ['file:x'],
      aspect_ratio: 'x',
      cfg: 1,
    };
    const modeless = ['image', 'inpaint_type', 'mask', 'mask_blur', 'reference_images[0]', 'styles[0]'];
    assert.deepEqual(
      refused(everything).sort(),
      [...modeless, 'aspect_ratio', 'cfg', 'prompt', 'reference_images'].sort(),
    );
    assert.deepEqual(refused({ ...everything, model: 'nobody' }).sort(), [...modeless, 'model'].sort());
  });
});
