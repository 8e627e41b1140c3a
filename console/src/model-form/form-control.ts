import type { FormFields } from './form-fields.ts';
import type { Field, FormValues } from './form-values.ts';

/** What every field of the form is given. */
export type FormControl = {
  /** As they would be sent: fitted to the model. */
  values: FormValues;
  fields: FormFields;
  set: <F extends Field>(field: F, value: FormValues[F]) => void;
  /** For what changes while something else is on its way. */
  change: <F extends Field>(field: F, change: (before: FormValues[F]) => FormValues[F]) => void;
  /** What the service, or the form itself, has against a field. */
  errorOf: (field: string) => string | undefined;
};
