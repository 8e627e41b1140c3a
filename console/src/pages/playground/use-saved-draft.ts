import { useDebouncedCallback, useWindowEvent } from '@mantine/hooks';
import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Model } from '@renderkit/contract/v1/schemas/model.ts';
import { useEffect } from 'react';
import { buildRequest } from '../../model-form/build-request.ts';
import type { Choices } from '../../model-form/fit-values.ts';
import { emptyForm, type FormValues } from '../../model-form/form-values.ts';
import { useSignedIn } from '../../session/use-signed-in.ts';
import { readDraft, saveDraft } from './drafts.ts';

type SavedDraft = { kind: GenerationKind; model: Model; typed: FormValues; choices: Choices };

/** Milliseconds without a change before a form is kept. */
const debounceMs = 250;

/** Keeps the form in the browser while it is filled in, so that leaving the page or a reload loses nothing. */
export function useSavedDraft({ kind, model, typed, choices }: SavedDraft): void {
  const { account } = useSignedIn();
  const save = useDebouncedCallback(
    () => {
      const body = buildRequest(kind, model, typed, choices);
      const untouched =
        JSON.stringify(body) === JSON.stringify(buildRequest(kind, model, emptyForm, choices));
      // An empty form is worth keeping only in the place of another.
      if (!untouched || readDraft(account.id, kind) !== undefined)
        saveDraft(account.id, kind, body, typed.strokes);
    },
    { delay: debounceMs, flushOnUnmount: true },
  );
  // `save` is another function in each render, and always the latest.
  // oxlint-disable-next-line react-hooks/exhaustive-deps
  useEffect(save, [kind, model, typed]);
  useWindowEvent('pagehide', () => save.flush());
}
