import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { consoleQuery } from '../../api/queries.ts';
import { type ItemUse, typeOfUse } from '../../media/item-use.ts';
import { bareReference } from '../../media/reference.ts';
import { emptyForm, type FormValues } from '../../model-form/form-values.ts';
import { readRequest } from '../../model-form/read-request.ts';
import type { PlaygroundSearch } from './search.ts';

/** The initial contents of the form. The address may name another kind and model. */
export type InitialForm = { kind: GenerationKind; model: string | undefined; values: FormValues };

/** The kind whose form has this field. */
const kindOfUse: Record<ItemUse, GenerationKind> = {
  image: 'image_edit',
  reference_images: 'image',
  start_image: 'video',
  source_video: 'video',
  video: 'video_extend',
};

/**
 * What the form starts with: the request of the generation that the address names, an item of the library, or nothing.
 * Undefined while that is loading.
 */
export function useInitialForm(search: PlaygroundSearch): {
  initial: InitialForm | undefined;
  error: Error | null;
  retry: () => void;
} {
  // A later run changes the address, but not what the form started with.
  const [from] = useState(search.from ?? (search.use === undefined ? search.generation : undefined));
  const [empty] = useState(formWithItem(search));
  const detail = useQuery({
    ...consoleQuery('getGenerationDetail', { params: { id: from ?? '' } }),
    enabled: from !== undefined,
    placeholderData: undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const retry = () => void detail.refetch();
  if (from === undefined) return { initial: empty, error: null, retry };
  if (detail.data === undefined) return { initial: undefined, error: detail.error, retry };
  const { request, generation } = detail.data;
  const read = readRequest(request);
  const initial: InitialForm =
    read === undefined
      ? { kind: generation.kind, model: generation.model, values: emptyForm }
      : { ...read, model: read.model ?? generation.model };
  return { initial, error: null, retry };
}

/** An empty form, or one with the item that the address names. */
function formWithItem({ use, as, kind }: PlaygroundSearch): InitialForm {
  if (use === undefined || as === undefined)
    return { kind: kind ?? 'image', model: undefined, values: emptyForm };
  const reference = bareReference(use, typeOfUse(as));
  const values = { ...emptyForm, [as]: as === 'reference_images' ? [reference] : reference };
  return { kind: kind ?? kindOfUse[as], model: undefined, values };
}
