import { useEffect } from 'react';
import { fieldError } from '../../api/errors.ts';
import type { RequestBody } from '../../generations/kind-labels.ts';
import { useStoredMask } from '../../media/use-stored-mask.ts';
import type { Form } from '../../model-form/use-form.ts';

type LostMask = {
  body: RequestBody;
  form: Form;
  /** The error of a refused run, if any. */
  refusal: Error | null;
};

const sentence = 'The mask of the earlier run is no longer kept. Paint it anew.';

/**
 * Removes the mask of an earlier run from the form when the mask no longer exists. If its painting is known, the mask
 * is drawn again instead and nothing is lost.
 */
export function useLostMask({ body, form, refusal }: LostMask): void {
  const mask = body['mask'];
  const named =
    typeof mask === 'string' && mask.startsWith('upl_') && form.control.values.strokes.length === 0;
  const { gone } = useStoredMask(named ? mask : undefined);
  const lost = named && (gone || fieldError(refusal, 'mask') !== undefined);
  useEffect(() => {
    if (!lost) return;
    form.control.set('mask', undefined);
    form.showErrors([{ field: 'mask', message: sentence }]);
    // The form's functions are new in each render, but do the same.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [lost]);
}
