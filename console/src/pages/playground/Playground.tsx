import { useIsMutating, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Model } from '@renderkit/contract/v1/schemas/model.ts';
import { callV1 } from '../../api/client.ts';
import { NoAnswerError, ProblemError } from '../../api/errors.ts';
import { v1Query } from '../../api/queries.ts';
import { uploadMutationKey } from '../../media/UploadCard.tsx';
import { buildRequest, missingOf } from '../../model-form/build-request.ts';
import type { FormValues } from '../../model-form/form-values.ts';
import { kinds } from '../../model-form/kinds.ts';
import { ModelForm } from '../../model-form/ModelForm.tsx';
import { ModelPicker } from '../../model-form/ModelPicker.tsx';
import { plansOf } from '../../model-form/model-labels.ts';
import { runKey, type SentRun } from '../../generations/idempotency-key.ts';
import { useForm } from '../../model-form/use-form.ts';
import { Notice } from '../../ui/Notice.tsx';
import classes from './playground.module.css';
import { RecentRuns } from './RecentRuns.tsx';
import { RequestCode } from './RequestCode.tsx';
import { RunBar } from './RunBar.tsx';
import { RunResult } from './RunResult.tsx';

type PlaygroundProps = {
  kind: GenerationKind;
  model: Model;
  models: readonly Model[];
  /** The model is none of the plan. */
  unlisted: boolean;
  initial: FormValues;
  /** Id of the generation whose result is shown. */
  shown: string | undefined;
  onModel: (id: string) => void;
};

const route = getRouteApi('/signed-in/playground');
/** Styles, suggestions and what the plan allows change seldom. */
const seldomMs = 5 * 60_000;

/** Form and cost on one side, result and code on the other. */
export function Playground({ kind, model, models, unlisted, initial, shown, onModel }: PlaygroundProps) {
  const account = useQuery({ ...v1Query('getAccount', {}), staleTime: 60_000 });
  const choices = useChoices();
  const form = useForm(kind, model, choices, initial);
  const body = buildRequest(kind, model, form.control.values, choices);
  const { run, sent, stillSending } = useRun(kind, (error) => showRefusal(error, form.showErrors));
  const begin = () => {
    const missing = missingOf(kind, model, form.control.values);
    form.showErrors(missing.map(({ field, sentence }) => ({ field, message: sentence })));
    const [first] = missing;
    if (first !== undefined) focusField(first.field);
    else if (!sent.isPending && !stillSending && !unlisted) run(body);
  };
  return (
    <div className={classes['layout']}>
      <section className={classes['form']} aria-label="Request">
        <ModelPicker
          {...{ kind, models }}
          chosen={model}
          onChoose={({ id }) => onModel(id)}
          ageVerified={account.data?.age_verified ?? true}
        />
        {unlisted && (
          <Notice tone="warning" mt="sm" title={`Your plan does not include ${model.name}`}>
            It belongs to {plansOf(model)}. You can look at its form and its code; to run it, choose another
            model or change the plan in the studio.
          </Notice>
        )}
        <div className={classes['fields']}>
          <ModelForm
            kind={kind}
            form={form.control}
            choices={choices}
            capabilities={account.data?.capabilities}
            onRun={begin}
          />
        </div>
        <RunBar
          {...{ kind, model, body, sent, stillSending }}
          closed={unlisted}
          values={form.control.values}
          onRun={begin}
        />
      </section>
      <div className={classes['outcome']}>
        <RunResult id={shown} kind={kind} />
        <RecentRuns kind={kind} shown={shown} />
        <RequestCode path={kinds[kind].path} body={body} />
      </div>
    </div>
  );
}

function useChoices() {
  const styles = useQuery({ ...v1Query('listStyles', {}), staleTime: seldomMs });
  // Extensions have suggestions, too, and cannot be asked for by suite.
  const suggestions = useQuery({ ...v1Query('listSuggestions', {}), staleTime: seldomMs });
  return { styles: styles.data?.data, suggestions: suggestions.data?.data };
}

/** Sends a run under a key of its own, and under the same one again where its outcome is unknown. */
function useRun(kind: GenerationKind, onRefused: (error: Error) => void) {
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const [inDoubt, setInDoubt] = useState<SentRun>();
  const stillSending = useIsMutating({ mutationKey: uploadMutationKey }) > 0;
  const sent = useMutation({
    meta: { inline: true },
    mutationFn: ({ body, key }: SentRun) =>
      callV1(
        kinds[kind].operation,
        { body },
        {
          headers: { 'idempotency-key': key },
        },
      ),
    onSuccess: (generation) => {
      setInDoubt(undefined);
      queries.setQueryData(
        ['v1', 'getGeneration', { params: { id: generation.id }, query: { wait: 1 } }],
        generation,
      );
      void queries.invalidateQueries({ queryKey: ['console', 'listGenerationRows'] });
      void queries.invalidateQueries({ queryKey: ['v1', 'estimate'] });
      void navigate({
        search: (before) => ({ ...before, generation: generation.id }),
        replace: true,
        resetScroll: false,
      });
    },
    onError: (error, run) => {
      setInDoubt(isInDoubt(error) ? run : undefined);
      onRefused(error);
    },
  });
  const run = (body: SentRun['body']) => {
    const { path } = kinds[kind];
    sent.mutate({ path, body, key: runKey({ path, body }, inDoubt) });
  };
  return { run, sent, stillSending };
}

/** Whether a create may have been accepted though it was not said. */
function isInDoubt(error: Error): boolean {
  return error instanceof NoAnswerError || (error instanceof ProblemError && error.status >= 500);
}

function showRefusal(error: Error, show: (errors: ProblemError['errors']) => void): void {
  if (!(error instanceof ProblemError) || error.errors.length === 0) return;
  show(error.errors);
  const [first] = error.errors;
  if (first !== undefined) focusField(first.field.replace(/\[\d+\]$/, ''));
}

/** Moves to a field that something is said at; those without a mark of their own are in sight of the button. */
function focusField(field: string): void {
  const name = field === 'video_id' ? 'video' : field;
  const place = () => document.querySelector<HTMLElement>(`[data-field="${CSS.escape(name)}"]`);
  const attempt = () => {
    if (place()?.contains(document.activeElement) === true) return;
    place()?.scrollIntoView({ block: 'center' });
    (place()?.querySelector<HTMLElement>('textarea, input, button, canvas') ?? place())?.focus({
      preventScroll: true,
    });
  };
  // What is said at the field is rendered first; what it lies folded in takes a moment to open.
  for (const ms of [50, 400]) setTimeout(attempt, ms);
}
