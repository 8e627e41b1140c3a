import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Model } from '@renderkit/contract/v1/schemas/model.ts';
import type { FieldError } from '@renderkit/contract/v1/schemas/problem.ts';
import { type Dispatch, type SetStateAction, useState } from 'react';
import { useSize } from '../media/use-reference.ts';
import { type Choices, fitValues } from './fit-values.ts';
import { fieldsOf, type FormFields } from './form-fields.ts';
import type { Field, FormValues } from './form-values.ts';
import { placeErrors } from './place-errors.ts';
import { nearestRatio } from './ratio-shape.ts';

/** What each field of the form receives. */
export type FormControl = {
  /** The values as they would be sent, adjusted to the model and to the first frame. */
  values: FormValues;
  fields: FormFields;
  set: <F extends Field>(field: F, value: FormValues[F]) => void;
  /** Changes a value depending on its present value. */
  change: <F extends Field>(field: F, change: (before: FormValues[F]) => FormValues[F]) => void;
  /** Returns the error of the service, or of the form itself, at a field. */
  errorOf: (field: string) => string | undefined;
};

/** The form, as its page uses it. */
export type Form = {
  control: FormControl;
  /** The values as the person set them, including those that this model does not accept. */
  typed: FormValues;
  /** Shows errors at their fields until these fields change. */
  showErrors: (errors: readonly FieldError[]) => void;
};

/** The typed values and their setter. The page owns them, so that they outlive the form. */
export type TypedValues = [FormValues, Dispatch<SetStateAction<FormValues>>];

const noErrors: ReadonlyMap<string, string> = new Map();

/** Manages the state of the form: its values, and the errors at its fields. */
export function useForm(
  kind: GenerationKind,
  model: Model,
  choices: Choices,
  [values, setValues]: TypedValues,
): Form {
  const [errors, setErrors] = useState(noErrors);
  const fields = fieldsOf(kind, model);
  const fitted = fitValues(kind, model, values, choices);
  const ratio = useRatioOfFrame(fields, fitted);
  const change = <F extends Field>(field: F, how: (before: FormValues[F]) => FormValues[F]) => {
    setValues((before) => changed(before, field, how));
    setErrors((before) => withoutField(before, field));
  };
  return {
    typed: values,
    control: {
      values: { ...fitted, aspect_ratio: fitted.aspect_ratio ?? ratio },
      fields,
      change,
      set: (field, value) => change(field, () => value),
      errorOf: (field) => errors.get(field),
    },
    showErrors: (list) => setErrors(placeErrors(list).byField),
  };
}

/** Returns the ratio for a video that would otherwise crop its first frame to the model's default ratio. */
function useRatioOfFrame(
  { startImage, keepsSource, ratios }: FormFields,
  { start_image: frame }: FormValues,
): string | undefined {
  const size = useSize(startImage === 'none' || keepsSource ? undefined : frame);
  return size && nearestRatio(ratios, size);
}

function changed<F extends Field>(
  before: FormValues,
  field: F,
  how: (before: FormValues[F]) => FormValues[F],
): FormValues {
  const after = { ...before, [field]: how(before[field]) };
  // A mask belongs to the image that it was painted on.
  return field === 'image' && after.image?.value !== before.image?.value
    ? { ...after, mask: undefined, strokes: [] }
    : after;
}

function withoutField(errors: ReadonlyMap<string, string>, field: Field): ReadonlyMap<string, string> {
  const kept = [...errors].filter(([name]) => name !== field && !name.startsWith(`${field}.`));
  return kept.length === errors.size ? errors : new Map(kept);
}
