import { useWindowEvent } from '@mantine/hooks';
import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Model } from '@renderkit/contract/v1/schemas/model.ts';
import { useIsMutating, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { type FieldError, RenderkitError } from 'renderkit/errors';
import { v1Query } from '../../api/queries.ts';
import { kinds, type RequestBody } from '../../generations/kind-labels.ts';
import { type Burst, useBurst } from '../../generations/use-burst.ts';
import type { MaskStep } from '../../media/mask-step.ts';
import { uploadMutationKey } from '../../media/UploadCard.tsx';
import { ModelPicker } from '../../model-form/ModelPicker.tsx';
import { ModelSettings } from '../../model-form/ModelSettings.tsx';
import { PromptHint } from '../../model-form/PromptHint.tsx';
import { PromptField } from '../../model-form/PromptField.tsx';
import { SourceFields } from '../../model-form/SourceFields.tsx';
import { buildRequest, missingOf } from '../../model-form/build-request.ts';
import type { GridCell } from '../../model-form/grid.ts';
import { plansOf } from '../../model-form/model-labels.ts';
import { withOneSeed, withSeeds } from '../../model-form/seed.ts';
import { type TypedValues, useForm } from '../../model-form/use-form.ts';
import { useSignedIn } from '../../session/use-signed-in.ts';
import { Notice } from '../../ui/Notice.tsx';
import { DropToEdit } from './DropToEdit.tsx';
import { RequestCode } from './RequestCode.tsx';
import { RunBar } from './RunBar.tsx';
import { readPrompts, rememberBatch, rememberPrompt } from './drafts.ts';
import { rememberMask } from './painted-masks.ts';
import classes from './playground.module.css';
import { useLostMask } from './use-lost-mask.ts';
import { useSavedDraft } from './use-saved-draft.ts';
import { useModelHistory, useRequestOf } from './use-runs.ts';

type PlaygroundProps = {
  kind: GenerationKind;
  model: Model;
  models: readonly Model[];
  /** The plan does not include the model. */
  unlisted: boolean;
  typed: TypedValues;
  onModel: (id: string) => void;
};

const route = getRouteApi('/signed-in/playground');
/** Styles and suggestions rarely change. */
const choicesStaleMs = 5 * 60_000;

/** The form. Model, sources, prompt and Run stay in view; the settings below them scroll. */
export function Playground({ kind, model, models, unlisted, typed, onModel }: PlaygroundProps) {
  const account = useQuery({ ...v1Query('getAccount', {}), staleTime: 60_000 });
  const choices = useChoices();
  const form = useForm(kind, model, choices, typed);
  const { values } = form.control;
  const body = buildRequest(kind, model, values, choices);
  const strokes = body['mode'] === 'inpaint' ? values.strokes : [];
  const { start, creation, earlier } = useRun(strokes, (error) => showFieldErrors(error, form.showErrors));
  useLostMask({ body, form, refusal: creation.error });
  const uploading = useIsMutating({ mutationKey: uploadMutationKey }) > 0;
  const lastSeed = useRequestOf(route.useSearch().generation).seed;
  const history = useModelHistory();
  useSavedDraft({ kind, model, typed: form.typed, choices });
  /** Runs `asked` when no required field is missing. Otherwise focuses the first missing field. */
  const begin = (asked: () => void) => {
    const missing = missingOf(kind, model, values);
    form.showErrors(missing.map(({ field, sentence }) => ({ field, message: sentence })));
    const [first] = missing;
    if (first !== undefined) focusField(first.field);
    else if (!creation.isPending && !uploading && !unlisted) asked();
  };
  const run = (times = 1) =>
    begin(() => {
      const bodies = Array.from({ length: times }, () => body);
      start({ kind, bodies }, withSeeds(model, bodies), []);
    });
  const vary = (cells: readonly GridCell[]) =>
    begin(() => {
      const bodies = cells.map((cell) => cell.body);
      start(
        { kind, bodies },
        withOneSeed(model, bodies),
        cells.map((cell) => cell.label),
      );
    });
  useWindowEvent('keydown', (event) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.defaultPrevented) return;
    // A dialog has its own button.
    if (document.querySelector('[role="dialog"]') !== null) return;
    event.preventDefault();
    // A key that is held down counts once, because each run is paid for.
    if (!event.repeat) run();
  });
  const capabilities = account.data?.capabilities;
  return (
    <>
      <div className={classes['first']}>
        <ModelPicker
          {...{ kind, models }}
          chosen={model}
          onChoose={({ id }) => onModel(id)}
          ageVerified={account.data?.age_verified ?? true}
          history={history}
        />
        {unlisted && <Unlisted model={model} />}
        <SourceFields form={form.control} capabilities={capabilities} need="required" />
        {!form.control.fields.takesDrops && capabilities?.uploads !== false && <DropToEdit />}
        <PromptField form={form.control} onRun={run} earlier={earlier} />
        <PromptHint {...{ kind, values, model, models, onModel }} />
        <RunBar
          {...{ kind, model, body, values, creation, uploading }}
          closed={unlisted}
          onRun={run}
          onVary={vary}
        />
      </div>
      <div className={classes['settings']}>
        <ModelSettings form={form.control} {...{ kind, choices, capabilities, lastSeed }} />
        <RequestCode path={kinds[kind].path} body={body} />
      </div>
    </>
  );
}

function Unlisted({ model }: { model: Model }) {
  return (
    <Notice tone="warning" title={`Your plan does not include ${model.name}`}>
      It belongs to {plansOf(model)}. You can look at its form and its code; to run it, choose another model
      or change the plan in the studio.
    </Notice>
  );
}

function useChoices() {
  const styles = useQuery({ ...v1Query('listStyles', {}), staleTime: choicesStaleMs });
  // Extensions have suggestions too, but the API has no filter for their suite.
  const suggestions = useQuery({ ...v1Query('listSuggestions', {}), staleTime: choicesStaleMs });
  return { styles: styles.data?.data, suggestions: suggestions.data?.data };
}

/** Runs requests, shows the newest of them, and stores their prompts and painted masks. */
function useRun(strokes: readonly MaskStep[], onRefused: (error: Error) => void) {
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const { account } = useSignedIn();
  const [earlier, setEarlier] = useState(() => readPrompts(account.id));
  const labels = useRef<readonly string[]>([]);
  const painted = useRef(strokes);
  const { start, creation } = useBurst({
    onRefused,
    onCreated: (generation, made, left) => {
      queries.setQueryData(['v1', 'getGeneration', { params: { id: generation.id } }], generation);
      rememberMask(account.id, generation.id, painted.current);
      if (made.length > 1) rememberBatch(account.id, { ids: made, labels: labels.current });
      void queries.invalidateQueries({ queryKey: ['console', 'listGenerationRows'] });
      void queries.invalidateQueries({ queryKey: ['v1', 'estimate'] });
      if (left) return;
      void navigate({
        search: (before) => ({ ...before, generation: generation.id }),
        replace: true,
        resetScroll: false,
      });
    },
  });
  const run = (burst: Burst, drawn: readonly RequestBody[], names: readonly string[]) => {
    const prompt = burst.bodies[0]?.['prompt'];
    if (typeof prompt === 'string') {
      rememberPrompt(account.id, prompt);
      setEarlier(readPrompts(account.id));
    }
    labels.current = names;
    painted.current = strokes;
    start(burst, drawn);
  };
  return { start: run, creation, earlier };
}

function showFieldErrors(error: Error, show: (errors: FieldError[]) => void): void {
  if (!RenderkitError.is(error) || error.errors.length === 0) return;
  show(error.errors);
  const [first] = error.errors;
  if (first !== undefined) focusField(first.field.replace(/\[\d+\]$/, ''));
}

/** Moves the focus to a field of the form. A field without `data-field` is near the button, so the focus stays. */
function focusField(field: string): void {
  const name = field === 'video_id' ? 'video' : field;
  const element = () => document.querySelector<HTMLElement>(`[data-field="${CSS.escape(name)}"]`);
  const attempt = () => {
    if (element()?.contains(document.activeElement) === true) return;
    element()?.scrollIntoView({ block: 'center' });
    (element()?.querySelector<HTMLElement>('textarea, input, button, canvas') ?? element())?.focus({
      preventScroll: true,
    });
  };
  // Tries twice: the error is rendered first, and a closed section needs time to open.
  for (const ms of [50, 400]) setTimeout(attempt, ms);
}
