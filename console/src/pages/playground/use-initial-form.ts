import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { consoleQuery } from '../../api/queries.ts';
import { type ItemUse, typeOfUse } from '../../media/item-use.ts';
import { bareReference } from '../../media/reference.ts';
import { emptyForm, type FormValues } from '../../model-form/form-values.ts';
import { readRequest } from '../../model-form/read-request.ts';
import { useSignedIn } from '../../session/use-signed-in.ts';
import { lastKind, readDraft } from './drafts.ts';
import { readMask } from './painted-masks.ts';
import type { PlaygroundSearch } from './search.ts';

/** The initial contents of the form. The address may name another kind and model. */
export type InitialForm = { kind: GenerationKind; model: string | undefined; values: FormValues };

/** The kind whose form has each field. */
export const kindOfUse: Record<ItemUse, GenerationKind> = {
  image: 'image_edit',
  reference_images: 'image',
  start_image: 'video',
  source_video: 'video',
  video: 'video_extend',
};

/** Returns an empty form. */
export function emptyFormOf(kind: GenerationKind): InitialForm {
  return { kind, model: undefined, values: emptyForm };
}

/**
 * Returns the initial form: `given`, the request of the generation in the address, the last form, or an empty form.
 * Adds the library item in the address. `undefined` while that loads.
 */
export function useInitialForm(
  search: PlaygroundSearch,
  given: InitialForm | undefined,
): {
  initial: InitialForm | undefined;
  error: Error | null;
  retry: () => void;
} {
  const { account } = useSignedIn();
  // A later run changes the address, but not the initial form.
  const [left] = useState(() => given ?? formAsLeft(account.id, search));
  const [from] = useState(
    search.from ?? (search.use === undefined && left === undefined ? search.generation : undefined),
  );
  const detail = useQuery({
    ...consoleQuery('getGenerationDetail', { params: { id: from ?? '' } }),
    enabled: from !== undefined,
    placeholderData: undefined,
    staleTime: Number.POSITIVE_INFINITY,
  });
  const retry = () => void detail.refetch();
  if (from === undefined) {
    return { initial: withItem(left ?? emptyFormOf(search.kind ?? 'image'), search), error: null, retry };
  }
  if (detail.data === undefined) return { initial: undefined, error: detail.error, retry };
  const { request, generation } = detail.data;
  const read = readRequest(request);
  const initial: InitialForm =
    read === undefined
      ? { ...emptyFormOf(generation.kind), model: generation.model }
      : {
          ...read,
          model: read.model ?? generation.model,
          values: { ...read.values, strokes: readMask(account.id, generation.id) },
        };
  return { initial, error: null, retry };
}

/**
 * Returns the last form of the kind. A form of another kind starts with the last prompt. `undefined` when there is no
 * last form.
 */
function formAsLeft(account: string, { kind, model, use, as }: PlaygroundSearch): InitialForm | undefined {
  const last = lastKind(account);
  const named = use === undefined || as === undefined ? undefined : kindOfUse[as];
  // An address with only a model is about images, whatever kind was used last.
  const wanted = kind ?? named ?? (model === undefined ? last : undefined) ?? 'image';
  const own = readDraft(account, wanted);
  if (own !== undefined || last === undefined) return own;
  const prompt = readDraft(account, last)?.values.prompt ?? '';
  return { kind: wanted, model: undefined, values: { ...emptyForm, prompt } };
}

/** Returns the form with the item of the address. A new image removes the mask, which was painted on another image. */
function withItem(form: InitialForm, { use, as, kind }: PlaygroundSearch): InitialForm {
  if (use === undefined || as === undefined) return form;
  const reference = bareReference(use, typeOfUse(as));
  const unmasked = as === 'image' ? { mask: undefined, strokes: [] } : {};
  const values = {
    ...form.values,
    ...unmasked,
    [as]: as === 'reference_images' ? [...form.values.reference_images, reference] : reference,
  };
  return { ...form, kind: kind ?? kindOfUse[as], values };
}
