import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { consoleQuery } from '../../api/queries.ts';
import { type ItemUse, typeOfUse } from '../../media/item-use.ts';
import { bareReference } from '../../media/reference.ts';
import { emptyForm, type FormValues } from '../../model-form/form-values.ts';
import { readRequest } from '../../model-form/read-request.ts';
import type { PlaygroundSearch } from './search.ts';

/** With what the form begins. The address may say another kind and model. */
export type Start = { kind: GenerationKind; model: string | undefined; values: FormValues };

/** The kind whose form has a field for a library item that was handed over. */
const kindOfUse: Record<ItemUse, GenerationKind> = {
  image: 'image_edit',
  reference_images: 'image',
  start_image: 'video',
  source_video: 'video',
  video: 'video_extend',
};

/**
 * The beginning of the form: the request of the generation that the address names, be it to edit it or because its
 * result is shown, or an item of the library, or nothing. Undefined while it is read.
 */
export function useStart(search: PlaygroundSearch): {
  start: Start | undefined;
  error: Error | null;
  retry: () => void;
} {
  // What is run later changes the address, not what the form began with.
  const [from] = useState(search.from ?? (search.use === undefined ? search.generation : undefined));
  const [handed] = useState(handedOver(search));
  const detail = useQuery({
    ...consoleQuery('getGenerationDetail', { params: { id: from ?? '' } }),
    enabled: from !== undefined,
    placeholderData: undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const retry = () => void detail.refetch();
  if (from === undefined) return { start: handed, error: null, retry };
  if (detail.data === undefined) return { start: undefined, error: detail.error, retry };
  const { request, generation } = detail.data;
  const read = readRequest(request);
  const start: Start =
    read === undefined
      ? { kind: generation.kind, model: generation.model, values: emptyForm }
      : { ...read, model: read.model ?? generation.model };
  return { start, error: null, retry };
}

function handedOver({ use, as, kind }: PlaygroundSearch): Start {
  if (use === undefined || as === undefined)
    return { kind: kind ?? 'image', model: undefined, values: emptyForm };
  const reference = bareReference(use, typeOfUse(as));
  const values = { ...emptyForm, [as]: as === 'reference_images' ? [reference] : reference };
  return { kind: kind ?? kindOfUse[as], model: undefined, values };
}
