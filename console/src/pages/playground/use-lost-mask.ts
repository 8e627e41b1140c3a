import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Model } from '@renderkit/contract/v1/schemas/model.ts';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { fieldError } from '../../api/errors.ts';
import { v1Query } from '../../api/queries.ts';
import type { RequestBody } from '../../generations/kinds.ts';
import { estimateOf } from '../../model-form/build-request.ts';
import type { Form } from '../../model-form/use-form.ts';

type LostMask = {
  kind: GenerationKind;
  model: Model;
  body: RequestBody;
  form: Form;
  /** Why a run was refused, if it was. */
  refusal: Error | null;
};

const sentence = 'The mask of the earlier run is no longer kept. Paint it anew.';

/**
 * Asks about a mask that the form has from an earlier run. No request shows such an upload, and it goes after a day; an estimate
 * with it is refused once it is gone, and then it leaves the form.
 */
export function useLostMask({ kind, model, body, form, refusal }: LostMask): void {
  const mask = body['mask'];
  // With what was painted, where that is known, it is drawn anew.
  const named =
    typeof mask === 'string' && mask.startsWith('upl_') && form.control.values.strokes.length === 0;
  const asked: RequestBody = named ? { ...estimateOf(kind, model, body), mask } : {};
  const estimate = useQuery({
    ...v1Query('estimate', { body: asked as never }),
    queryKey: ['v1', 'estimate', 'mask', JSON.stringify(asked)],
    enabled: named,
    placeholderData: undefined,
    staleTime: 30_000,
  });
  const lost = named && [estimate.error, refusal].some((error) => fieldError(error, 'mask') !== undefined);
  useEffect(() => {
    if (!lost) return;
    form.control.set('mask', undefined);
    form.showErrors([{ field: 'mask', message: sentence }]);
    // The form's functions are others in each render, and do the same.
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [lost]);
}
