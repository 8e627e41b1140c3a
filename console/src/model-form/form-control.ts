import type { FormFields } from './form-fields.ts';
import type { Field, FormValues } from './form-values.ts';

/** What every field of the form receives. */
export type FormControl = {
  /** As they would be sent: fitted to the model. */
  values: FormValues;
  fields: FormFields;
  set: <F extends Field>(field: F, value: FormValues[F]) => void;
  /** For a change that depends on the value at that moment. */
  change: <F extends Field>(field: F, change: (before: FormValues[F]) => FormValues[F]) => void;
  /** The error of the service, or of the form itself, at a field. */
  errorOf: (field: string) => string | undefined;
};
