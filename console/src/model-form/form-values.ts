import { eachSetting, type SettingName } from '@renderkit/contract/studio/kinds.ts';
import type { EditMode, InpaintType } from '@renderkit/contract/v1/schemas/generation-requests.ts';
import type { MaskStep } from '../media/mask-step.ts';
import type { Reference } from '../media/reference.ts';

export type OptionValue = string | number | boolean;

/**
 * The values of the form, under the names of the request's fields. `undefined` means unchanged: the value is not sent,
 * and the model's default applies. Values stay when the model changes; `buildRequest` sends those that are valid.
 * `form-fields.ts` decides which fields the form shows, and `fit-values.ts` which values are valid.
 */
export type FormValues = { [S in SettingName]: number | undefined } & {
  prompt: string;
  project_id: string | undefined;
  base_model: string | undefined;
  styles: string[];
  suggestions: string[];
  options: Record<string, OptionValue>;
  aspect_ratio: string | undefined;
  sampler: string | undefined;
  reference_images: Reference[];
  image: Reference | undefined;
  mode: EditMode;
  strength: number | undefined;
  /** A painted PNG as a data URL, or the id of an upload. */
  mask: string | undefined;
  /** The steps of the painted mask, to continue to paint. Never sent. */
  strokes: readonly MaskStep[];
  inpaint_type: InpaintType | undefined;
  duration: string | undefined;
  start_image: Reference | undefined;
  end_image: Reference | undefined;
  reference_audios: Reference[];
  source_video: Reference | undefined;
  /** The video to extend. Sent as `video_id`. */
  video: Reference | undefined;
  resolution: string | undefined;
};

export type Field = keyof FormValues;

export const emptyForm: FormValues = {
  prompt: '',
  project_id: undefined,
  base_model: undefined,
  styles: [],
  suggestions: [],
  options: {},
  aspect_ratio: undefined,
  ...eachSetting(() => undefined),
  sampler: undefined,
  reference_images: [],
  image: undefined,
  mode: 'transform',
  strength: undefined,
  mask: undefined,
  strokes: [],
  inpaint_type: undefined,
  duration: undefined,
  start_image: undefined,
  end_image: undefined,
  reference_audios: [],
  source_video: undefined,
  video: undefined,
  resolution: undefined,
};
