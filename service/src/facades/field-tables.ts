import { eachSetting, type SettingName } from '@renderkit/contract/studio/kinds.ts';
import { maxPromptCharacters } from '@renderkit/contract/v1/limits.ts';

/**
 * A field of a foreign request. The fields are read by `image-request.ts`, `chat-request.ts` and `video-request.ts` in
 * `openai` and by `image-request.ts` in `a1111`.
 */
export type Field = {
  /** What the field becomes, in Markdown; docs/connect.md contains this text. */
  becomes: string;
  /** The field is ignored, and an answer names it if the client sent it. */
  ignored?: true;
  /** The setting that the field sets, where the model has a range for it. */
  setting?: SettingName;
  /** The field says how to answer, not what to make: requests that differ only in it are equal. */
  answer?: true;
};

export type FieldTable = Readonly<Record<string, Field>>;

/** A request as the code may read it: only by the names of a table. */
export type FieldsOf<Table extends FieldTable> = { readonly [Name in keyof Table]?: unknown };

/** How many pictures one request may make. `image-request.ts` in `openai` and in `a1111` refuses more (`countOf`). */
export const maxOutputs = 10;
/** How many previews a stream shows at most. */
export const maxPartialImages = 3;
/** Chat programs that ask for at most this many tokens want a title or tags, which must not buy a picture. */
export const titleTokens = 50;

const asOurs = 'as in [the HTTP API](api.md)';
const asOption = "the model's option of that name, if it has one";
const asItIs = `unchanged, at most ${maxPromptCharacters} characters`;
const asSetting = <Name extends SettingName>(setting: Name) => ({
  becomes: 'moved into the range of the model',
  setting,
});
const ignored = { becomes: 'ignored', ignored: true } as const;

/**
 * The service's own fields, which creates take unchanged: a client's extra fields reach everything that a model offers.
 */
export const passedFields = {
  aspect_ratio: { becomes: asOurs },
  styles: { becomes: asOurs },
  suggestions: { becomes: asOurs },
  ...eachSetting(() => ({ becomes: asOurs })),
  sampler: { becomes: asOurs },
  project_id: { becomes: asOurs },
  base_model: { becomes: asOurs },
  reference_images: { becomes: asOurs },
  strength: { becomes: asOurs },
  inpaint_type: { becomes: asOurs },
} as const satisfies FieldTable;

/** Other programs' names for fields that may be options of a model here. */
export const optionFields = {
  seed: { becomes: `${asOption}; raised by one for each further picture` },
  negative_prompt: { becomes: asOption },
  steps: { becomes: asOption },
  guidance_scale: { becomes: asOption },
} as const satisfies FieldTable;

/** Fields that every request of OpenAI's API may have in addition to OpenAI's own. */
export const ownFields = {
  ...passedFields,
  options: { becomes: asOurs },
  metadata: { becomes: asOurs },
  ...optionFields,
  user: { becomes: 'kept in the metadata' },
} as const satisfies FieldTable;

/** `POST /images/generations` and `POST /images/edits` of OpenAI's API. */
export const imageFields = {
  model: {
    becomes: 'one of `GET /models`; if left out, or `gpt-image-1`, `dall-e-3` and the like: the default',
  },
  prompt: { becomes: asItIs },
  n: {
    becomes: `1 to ${maxOutputs}; makes as many generations as needed; surplus pictures are in the library`,
  },
  size: { becomes: 'the nearest ratio of the model; the answer has the size that was made' },
  quality: { becomes: "the model's option `quality` or `resolution`, if it has that value" },
  background: { becomes: '`transparent` if the model has it, otherwise refused' },
  response_format: {
    becomes: "`url` gives links below the service's own address, any other value base64",
    answer: true,
  },
  stream: { becomes: 'events; the last event of each picture contains it', answer: true },
  partial_images: {
    becomes: `0 to ${maxPartialImages} previews in a stream; fewer or none if the engine shows fewer`,
    answer: true,
  },
  image: {
    becomes:
      'only for edits: files (`image[]` too), data URLs, https addresses, ids of uploads and library items',
  },
  images: { becomes: 'the same in JSON, as texts or as `{"image_url": …}` and `{"file_id": …}`' },
  mask: {
    becomes:
      'only for edits, one picture in the same forms; the picture changes where the mask is transparent',
  },
  moderation: ignored,
  style: ignored,
  input_fidelity: ignored,
  output_format: ignored,
  output_compression: ignored,
  ...ownFields,
} as const satisfies FieldTable;

/** `POST /chat/completions` of OpenAI's API. */
export const chatFields = {
  model: { becomes: 'required; one of `GET /models` that makes pictures' },
  messages: { becomes: 'the last message of the user is drawn, or says how its pictures change' },
  n: { becomes: `1 to ${maxOutputs} pictures` },
  size: { becomes: 'the nearest ratio of the model' },
  image_config: { becomes: 'its `aspect_ratio`, such as `16:9`, if there is no `size`' },
  stream: { becomes: 'chunks: first the state of the wait, then links, then `images`', answer: true },
  stream_options: { becomes: '`include_usage` adds a last chunk, with zeros', answer: true },
  modalities: { becomes: 'not read: the answer always has links and pictures', answer: true },
  max_tokens: { becomes: `refused if it is ${titleTokens} or less, otherwise ignored`, ignored: true },
  max_completion_tokens: {
    becomes: `refused if it is ${titleTokens} or less, otherwise ignored`,
    ignored: true,
  },
  temperature: ignored,
  top_p: ignored,
  presence_penalty: ignored,
  frequency_penalty: ignored,
  stop: ignored,
  tools: ignored,
  tool_choice: ignored,
  response_format: ignored,
  reasoning_effort: ignored,
  ...ownFields,
} as const satisfies FieldTable;

/** The service's own fields that only creates of videos take unchanged. */
export const passedVideoFields = {
  end_image: { becomes: asOurs },
  reference_audios: { becomes: asOurs },
  resolution: { becomes: asOurs },
} as const satisfies FieldTable;

/** The creates of videos of OpenAI's API. */
export const videoFields = {
  model: {
    becomes: 'one of `GET /models` that makes videos; if left out, or `sora-2` and the like: the default',
  },
  prompt: { becomes: asItIs },
  seconds: { becomes: 'the nearest length of the model; the answer says which' },
  size: { becomes: 'the nearest shape of the model; the answer says `auto` until the file is there' },
  input_reference: {
    becomes:
      'the first frame: a file, a data URL, an https address or an id, `{"image_url": …}` or `{"file_id": …}`',
  },
  video: { becomes: 'for edits a file or `{"id": …}` of a video, for extensions only the id' },
  duration: { becomes: asOurs },
  ...passedVideoFields,
  ...ownFields,
} as const satisfies FieldTable;

/** `POST /txt2img` and `POST /img2img` of A1111's API. An answer names ignored fields only if they are set. */
export const a1111Fields = {
  prompt: { becomes: asItIs },
  negative_prompt: { becomes: asOption },
  seed: {
    becomes: `${asOption}; a value below 0 means no seed; raised by one for each further picture; \`info\` has the seeds that were used`,
  },
  steps: { becomes: asOption },
  width: { becomes: 'the nearest ratio of the model; `X-Renderkit-Size` says which size is made' },
  height: { becomes: 'the nearest ratio of the model; `X-Renderkit-Size` says which size is made' },
  batch_size: { becomes: `multiplied, 1 to ${maxOutputs} pictures` },
  n_iter: { becomes: `multiplied, 1 to ${maxOutputs} pictures` },
  cfg_scale: asSetting('cfg'),
  clip_skip: asSetting('clip_skip'),
  mask_blur: asSetting('mask_blur'),
  sampler_name: { becomes: 'if the model has it' },
  sampler_index: { becomes: 'if the model has it' },
  override_settings: { becomes: 'its `sd_model_checkpoint` is the model for this request' },
  init_images: { becomes: 'only for `img2img`: base64, data URLs, https addresses, ids' },
  mask: { becomes: 'only for `img2img`, in the same forms; the picture changes where the mask is white' },
  denoising_strength: { becomes: 'only for `img2img`: how much changes' },
  inpainting_mask_invert: { becomes: 'must be 0' },
  project_id: { becomes: asOurs },
  aspect_ratio: { becomes: asOurs },
  options: { becomes: asOurs },
  metadata: { becomes: asOurs },
  alwayson_scripts: ignored,
  enable_hr: ignored,
  restore_faces: ignored,
  scheduler: ignored,
  script_name: ignored,
  styles: ignored,
  subseed_strength: ignored,
  tiling: ignored,
} as const satisfies FieldTable;

export const namesOf = <Name extends string>(table: Readonly<Record<Name, Field>>) =>
  Object.keys(table) as Name[];

/** Returns the fields of a table that are settings, with the setting of each. */
export function settingsOf<Name extends string>(
  table: Readonly<Record<Name, Field>>,
): { field: Name; setting: SettingName }[] {
  return namesOf(table).flatMap((field) => {
    const { setting } = table[field];
    return setting === undefined ? [] : [{ field, setting }];
  });
}

/** Returns the fields of a table that are ignored. */
export function ignoredOf<Name extends string>(table: Readonly<Record<Name, Field>>): Name[] {
  return namesOf(table).filter((name) => table[name].ignored === true);
}

/** Returns what a request asks for, without the fields that only say how to answer. */
export function askedFor(table: FieldTable, fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => table[name]?.answer !== true));
}
