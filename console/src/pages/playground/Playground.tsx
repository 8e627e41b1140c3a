import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Model } from '@renderkit/contract/v1/schemas/model.ts';
import { useIsMutating, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { ProblemError } from '../../api/errors.ts';
import { v1Query } from '../../api/queries.ts';
import { kinds } from '../../generations/kinds.ts';
import { useCreateGeneration } from '../../generations/use-create-generation.ts';
import { uploadMutationKey } from '../../media/UploadCard.tsx';
import { ModelForm } from '../../model-form/ModelForm.tsx';
import { ModelPicker } from '../../model-form/ModelPicker.tsx';
import { buildRequest, missingOf } from '../../model-form/build-request.ts';
import type { FormValues } from '../../model-form/form-values.ts';
import { plansOf } from '../../model-form/model-labels.ts';
import { useForm } from '../../model-form/use-form.ts';
import { Notice } from '../../ui/Notice.tsx';
import { RecentRuns } from './RecentRuns.tsx';
import { RequestCode } from './RequestCode.tsx';
import { RunBar } from './RunBar.tsx';
import { RunResult } from './RunResult.tsx';
import classes from './playground.module.css';

type PlaygroundProps = {
  kind: GenerationKind;
  model: Model;
  models: readonly Model[];
  /** The plan does not include the model. */
  unlisted: boolean;
  initial: FormValues;
  /** Id of the generation whose result is shown. */
  shown: string | undefined;
  onModel: (id: string) => void;
};

const route = getRouteApi('/signed-in/playground');
/** Styles and suggestions change seldom. */
const choicesStaleMs = 5 * 60_000;

/** The form and the cost on one side, the result and the code on the other. */
export function Playground({ kind, model, models, unlisted, initial, shown, onModel }: PlaygroundProps) {
  const account = useQuery({ ...v1Query('getAccount', {}), staleTime: 60_000 });
  const choices = useChoices();
  const form = useForm(kind, model, choices, initial);
  const body = buildRequest(kind, model, form.control.values, choices);
  const { create, creation } = useRun(kind, (error) => showFieldErrors(error, form.showErrors));
  const uploading = useIsMutating({ mutationKey: uploadMutationKey }) > 0;
  const run = () => {
    const missing = missingOf(kind, model, form.control.values);
    form.showErrors(missing.map(({ field, sentence }) => ({ field, message: sentence })));
    const [first] = missing;
    if (first !== undefined) focusField(first.field);
    else if (!creation.isPending && !uploading && !unlisted) create(body);
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
            onRun={run}
          />
        </div>
        <RunBar
          {...{ kind, model, body, creation, uploading }}
          closed={unlisted}
          values={form.control.values}
          onRun={run}
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
  const styles = useQuery({ ...v1Query('listStyles', {}), staleTime: choicesStaleMs });
  // Extensions have suggestions too, but the API has no filter for their suite.
  const suggestions = useQuery({ ...v1Query('listSuggestions', {}), staleTime: choicesStaleMs });
  return { styles: styles.data?.data, suggestions: suggestions.data?.data };
}

/** Creates a generation and shows its result. */
function useRun(kind: GenerationKind, onRefused: (error: Error) => void) {
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  return useCreateGeneration(kind, {
    onRefused,
    onCreated: (generation) => {
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
  });
}

function showFieldErrors(error: Error, show: (errors: ProblemError['errors']) => void): void {
  if (!(error instanceof ProblemError) || error.errors.length === 0) return;
  show(error.errors);
  const [first] = error.errors;
  if (first !== undefined) focusField(first.field.replace(/\[\d+\]$/, ''));
}

/** Moves the focus to a field of the form. A field that has no `data-field` is near the button and needs no move. */
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
  // The error is rendered first, and a closed section takes a moment to open.
  for (const ms of [50, 400]) setTimeout(attempt, ms);
}
