import { strengthDefault } from '@renderkit/contract/studio/validate.ts';
import { minStrength, maxStrength } from '@renderkit/contract/v1/limits.ts';
import { MaskField } from '../media/MaskField.tsx';
import { ChoiceField } from './ChoiceField.tsx';
import { RangeField } from './RangeField.tsx';
import type { FormControl } from './use-form.ts';

/** Chooses which part of the source an edit changes: all of it, or the part under a mask. */
export function EditFields({ form }: { form: FormControl }) {
  const { values, fields, set } = form;
  const blur = fields.ranges.mask_blur;
  const inpaint = values.mode === 'inpaint';
  return (
    <>
      {fields.inpaint && (
        <ChoiceField
          label="What to change"
          items={[
            { value: 'transform', label: 'The whole picture' },
            { value: 'inpaint', label: 'What I paint' },
          ]}
          value={values.mode}
          onChange={(mode) => set('mode', mode === 'inpaint' ? 'inpaint' : 'transform')}
          error={form.errorOf('mode')}
        />
      )}
      {inpaint && (
        <>
          <MaskField
            source={values.image}
            mask={values.mask}
            strokes={values.strokes}
            onChange={(mask, strokes) => {
              set('mask', mask);
              set('strokes', strokes);
            }}
            error={form.errorOf('mask')}
          />
          <ChoiceField
            label="What is painted"
            items={[
              { value: 'refine', label: 'Is refined', hint: 'What is there is gone by.' },
              { value: 'fill', label: 'Is filled anew', hint: 'What is there is forgotten.' },
            ]}
            value={values.inpaint_type ?? 'refine'}
            onChange={(type) => set('inpaint_type', type === 'fill' ? 'fill' : undefined)}
            error={form.errorOf('inpaint_type')}
          />
          {blur !== undefined && (
            <RangeField
              label="Softness of the edge"
              range={blur}
              value={values.mask_blur}
              onChange={(value) => set('mask_blur', value)}
              error={form.errorOf('mask_blur')}
            />
          )}
        </>
      )}
      <RangeField
        label="Strength"
        description="How far the result may depart from the source."
        range={{ min: minStrength, max: maxStrength, step: 0.05, default: strengthDefault(values) }}
        value={values.strength}
        onChange={(value) => set('strength', value)}
        error={form.errorOf('strength')}
      />
    </>
  );
}
