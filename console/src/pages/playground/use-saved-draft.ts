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

/** Milliseconds without a change before a form is stored. */
const debounceMs = 250;

/** Stores the form in the browser while the person fills it in, so that leaving or reloading the page loses nothing. */
export function useSavedDraft({ kind, model, typed, choices }: SavedDraft): void {
  const { account } = useSignedIn();
  const save = useDebouncedCallback(
    () => {
      const body = buildRequest(kind, model, typed, choices);
      const untouched =
        JSON.stringify(body) === JSON.stringify(buildRequest(kind, model, emptyForm, choices));
      // An empty form is stored only to replace another.
      if (!untouched || readDraft(account.id, kind) !== undefined)
        saveDraft(account.id, kind, body, typed.strokes);
    },
    { delay: debounceMs, flushOnUnmount: true },
  );
  // `save` is a new function in each render, and always the latest.
  // oxlint-disable-next-line react-hooks/exhaustive-deps
  useEffect(save, [kind, model, typed]);
  useWindowEvent('pagehide', () => save.flush());
}
