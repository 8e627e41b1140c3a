import { kindFacts, type SettingName } from '@renderkit/contract/studio/kinds.ts';
import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Model } from '@renderkit/contract/v1/schemas/model.ts';
import type { RequestBody } from '../generations/kind-labels.ts';
import type { Reference } from '../media/reference.ts';
import { type Choices, fitValues } from './fit-values.ts';
import { fieldsOf } from './form-fields.ts';
import type { FormValues } from './form-values.ts';

/**
 * Builds the body of a create from the values of the form (docs/api.md §4). Leaves out unchanged fields and fields that
 * the model does not accept. Always names the model, even the default, so that the request means the same tomorrow.
 */
export function buildRequest(
  kind: GenerationKind,
  model: Model,
  values: FormValues,
  choices: Choices,
): RequestBody {
  const fit = fitValues(kind, model, values, choices);
  const prompt = fit.prompt.trim() === '' ? undefined : fit.prompt;
  const texts = {
    prompt,
    styles: some(fit.styles),
    suggestions: some(fit.suggestions),
    project_id: fit.project_id,
  };
  if (kind === 'video_extend')
    return stated({
      video_id: fit.video?.value,
      ...texts,
      duration: secondsOf(fit.duration),
      resolution: fit.resolution,
    });
  const settings = {
    ...texts,
    options: Object.keys(fit.options).length > 0 ? fit.options : undefined,
    aspect_ratio: fit.aspect_ratio,
    cfg: fit.cfg,
    reference_images: some(fit.reference_images.map(valueOf)),
  };
  const head = { model: model.id, base_model: fit.base_model };
  if (kind === 'video')
    return stated({
      ...head,
      ...settings,
      duration: secondsOf(fit.duration),
      start_image: fit.start_image?.value,
      end_image: fit.end_image?.value,
      reference_audios: some(fit.reference_audios.map(valueOf)),
      source_video: fit.source_video?.value,
    });
  const brush = { ...settingsBeside('cfg', kind, fit), sampler: fit.sampler };
  if (kind === 'image') return stated({ ...head, ...settings, ...brush });
  return stated({
    ...head,
    image: fit.image?.value,
    ...settings,
    ...brush,
    strength: fit.strength,
    ...(fit.mode === 'inpaint' && {
      mode: fit.mode,
      mask: fit.mask,
      inpaint_type: fit.inpaint_type,
      mask_blur: fit.mask_blur,
    }),
  });
}

/** One black pixel. The price does not depend on the contents of a mask, and a painted mask may have megabytes. */
const anyMask =
  'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAAAAAA6fptVAAAACklEQVR4nGNgAAAAAgABSK+kcQAAAABJRU5ErkJggg==';
/** A constant prompt. The price does not depend on the prompt, so typing must not send estimates. */
const anyPrompt = 'a picture';

/**
 * Returns the body of the estimate for a request. It does not change when only the prompt or the strokes of a mask
 * change. `contract/studio/price.ts` computes the price.
 */
export function estimateOf(kind: GenerationKind, model: Model, body: RequestBody): RequestBody {
  const priced: RequestBody = { kind, ...body };
  if (model.prompt_required || priced['prompt'] !== undefined) priced['prompt'] = anyPrompt;
  if (priced['mode'] === 'inpaint') priced['mask'] = anyMask;
  return priced;
}

/** A required field that is empty, and the sentence that asks for it. */
export type Missing = { field: keyof FormValues; sentence: string };

/**
 * Returns the required fields that are empty. The service validates the request; this check only saves a call. The
 * checks against the model are in `contract/studio/validate.ts`.
 */
export function missingOf(kind: GenerationKind, model: Model, values: FormValues): Missing[] {
  const fields = fieldsOf(kind, model);
  const missing: Missing[] = [];
  const need = (field: keyof FormValues, sentence: string) => {
    missing.push({ field, sentence });
  };
  if (fields.video === 'required' && values.video === undefined)
    need('video', 'Choose the video that is to go on.');
  if (fields.image === 'required' && values.image === undefined)
    need('image', 'Choose the picture that is to change.');
  if (fields.startImage === 'required' && values.start_image === undefined)
    need('start_image', 'This model needs a first frame.');
  if (fields.endImage === 'required' && values.end_image === undefined)
    need('end_image', 'This model needs a last frame.');
  if (fields.inpaint && values.mode === 'inpaint' && values.mask === undefined)
    need('mask', 'Paint what is to change.');
  if (fields.prompt.required && values.prompt.trim() === '') need('prompt', 'Say what to make.');
  return missing;
}

/** Returns the values of the kind's settings, except `other`. */
function settingsBeside(other: SettingName, kind: GenerationKind, fit: FormValues): RequestBody {
  return Object.fromEntries(
    kindFacts[kind].settings.flatMap((name) => (name === other ? [] : [[name, fit[name]]])),
  );
}

function valueOf({ value }: Reference): string {
  return value;
}

function secondsOf(duration: string | undefined): number | undefined {
  return duration === undefined ? undefined : Number(duration);
}

function some<T>(list: readonly T[]): readonly T[] | undefined {
  return list.length > 0 ? list : undefined;
}

function stated(body: RequestBody): RequestBody {
  return Object.fromEntries(Object.entries(body).filter(([, value]) => value !== undefined));
}
