import { type SettingName, settingNames, suites } from '@renderkit/contract/studio/kinds.ts';
import {
  id,
  longText,
  nullable,
  oneOf,
  shortText,
} from '@renderkit/contract/studio/schemas/schema-builders.ts';
import { StudioModel } from '@renderkit/contract/studio/schemas/catalog.ts';
import {
  engineNames,
  type JsonObject,
  type JsonValue,
  type MediaSource,
  mediaSources,
  type PlainSource,
  plainSources,
} from '@renderkit/engine-kit/route.ts';
import { Type, type Static, type TSchema } from 'typebox';

// The shape of a manifest file. `check-manifest.ts` checks what a schema cannot express. `read-manifest.ts` has the
// keys of each engine and the values of missing keys.

const anyJson = Type.Unsafe<JsonValue>({});
const text = Type.String({ minLength: 1, maxLength: 500 });
const sentence = Type.String({ maxLength: 20_000 });
const seconds = Type.Number({ exclusiveMinimum: 0, maximum: 86_400 });
const pixels = Type.Integer({ minimum: 1, maximum: 1e9 });
const side = Type.Integer({ minimum: 1, maximum: 16_384 });
const money = Type.Number({ minimum: 0, maximum: 1e6 });
const record = <T extends TSchema>(of: T) => Type.Record(Type.String(), of);
const named = <T extends TSchema>(pattern: string, description: string, of: T) =>
  Type.Record(Type.String({ pattern }), of, { description });

/** A file next to the manifest: a plain name, never a path. */
const fileName = Type.String({
  maxLength: 200,
  pattern: '^(?:\\./)?[\\p{L}\\p{N}_][\\p{L}\\p{N}_ .()-]*$',
  description: 'it must be the name of a file beside the manifest',
});
export const modelId = Type.String({
  maxLength: 200,
  pattern: '^[A-Za-z0-9][A-Za-z0-9_-]*(?:[./][A-Za-z0-9_-]+)*$',
  description: 'letters, digits, - and _, in parts joined by . or /',
});
const optionPath = Type.Unsafe<`options.${string}`>(Type.String({ pattern: '^options\\..', maxLength: 500 }));
const source = Type.Union([
  ...[...plainSources, ...settingNames, ...mediaSources].map((name) => Type.Literal(name)),
  optionPath,
]) as unknown as ReturnType<
  typeof Type.Unsafe<PlainSource | SettingName | MediaSource | `options.${string}`>
>;
const media = oneOf(mediaSources);

const Binding = Type.Partial(
  Type.Object({
    value: anyJson,
    text: sentence,
    from: Type.Union([source, Type.Array(source, { minItems: 1, maxItems: 8 })]),
    absent: oneOf(['keep', 'remove', 'refuse'] as const),
    default: anyJson,
    map: record(anyJson),
    bands: Type.Array(Type.Object({ below: Type.Optional(Type.Number()), value: anyJson }), {
      minItems: 1,
      maxItems: 50,
    }),
    scale: Type.Object({
      from: Type.Tuple([Type.Number(), Type.Number()]),
      to: Type.Tuple([Type.Number(), Type.Number()]),
    }),
    frames: Type.Object({
      fps: Type.Number({ exclusiveMinimum: 0, maximum: 1000 }),
      step: Type.Integer({ minimum: 1, maximum: 1000 }),
      plus: Type.Integer({ minimum: 0, maximum: 1000 }),
    }),
    times: Type.Number(),
    plus: Type.Number(),
    round: oneOf(['nearest', 'down', 'up'] as const),
    multiple_of: Type.Number({ exclusiveMinimum: 0 }),
    min: Type.Number(),
    max: Type.Number(),
    as: oneOf(['int', 'float', 'string', 'bool', 'json'] as const),
    picture: Type.Partial(
      Type.Object({
        fit: oneOf(['cover', 'contain', 'stretch', 'own'] as const),
        max_pixels: pixels,
        format: oneOf(['png', 'jpeg'] as const),
        mask: oneOf(['white_changes', 'black_changes', 'transparent_changes'] as const),
        item: Type.Integer({ minimum: 0, maximum: 63 }),
      }),
    ),
    replace: Type.Boolean(),
  }),
);

const measuredPrice = Type.Optional(money);
const amount = Type.Union([
  money,
  Type.Object({
    by: Type.Union([Type.Literal('mode'), optionPath]) as unknown as ReturnType<
      typeof Type.Unsafe<'mode' | `options.${string}`>
    >,
    values: record(money),
  }),
]);

/**
 * A price of a model, in 1/1000 credit: at most a billion credits, the same limit as for a plan. The limit per second
 * is a tenth of this. With it, an hour with all surcharges stays within `millicredits`, the limit for the price of a
 * render in an answer.
 */
const charge = Type.Integer({ minimum: 0, maximum: 1e12 });
const Price = Type.Object({
  base_millicredits: charge,
  per_second_millicredits: Type.Optional(Type.Integer({ minimum: 0, maximum: 1e11 })),
  per_reference_millicredits: Type.Optional(charge),
  options: Type.Optional(record(record(charge))),
});

const pointer = Type.String({ maxLength: 500, pattern: '^/', description: 'a pointer begins with /' });

const ratioPattern = '^[1-9]\\d{0,4}(?:\\.\\d{1,3})?:[1-9]\\d{0,4}(?:\\.\\d{1,3})?$';
const ratioForm = 'width to height, as 16:9';

const Requirements = Type.Partial(
  Type.Object({
    comfyui: text,
    vram_gb: Type.Number({ exclusiveMinimum: 0, maximum: 10_000 }),
    packs: Type.Array(Type.Object({ name: text, id: Type.Optional(text), version: Type.Optional(text) }), {
      maxItems: 100,
    }),
    models: Type.Array(
      Type.Object({
        input: Type.String({
          pattern: '^[^.]+\\..',
          maxLength: 300,
          description: 'node and input, joined by a dot',
        }),
        folder: Type.String({ maxLength: 300 }),
        url: Type.Optional(
          Type.String({
            pattern: '^https?://',
            maxLength: 4_096,
            description: 'it must begin with https://',
          }),
        ),
        sha256: Type.Optional(
          Type.String({ pattern: '^[0-9a-f]{64}$', description: '64 hexadecimal digits in small letters' }),
        ),
      }),
      { maxItems: 100 },
    ),
  }),
);

const RouteShape = Type.Object({
  name: text,
  like: Type.Optional(text),
  engine: oneOf(engineNames),
  on: Type.Array(text, { minItems: 1, maxItems: 50 }),
  for: Type.Optional(
    Type.Partial(
      Type.Object({
        kind: oneOf(['image', 'image_edit', 'video', 'video_extend'] as const),
        mode: oneOf(['transform', 'inpaint'] as const),
        has: Type.Array(media, { maxItems: 8 }),
        lacks: Type.Array(media, { maxItems: 8 }),
        options: record(Type.String({ maxLength: 500 })),
      }),
    ),
  ),
  size: Type.Optional(
    Type.Partial(
      Type.Object({
        multiple_of: Type.Integer({ minimum: 1, maximum: 512 }),
        max_pixels: pixels,
        min_side: side,
      }),
    ),
  ),
  set: Type.Optional(record(Binding)),
  outputs: Type.Object({
    kind: oneOf(['image', 'video'] as const),
    max_per_job: Type.Integer({ minimum: 1, maximum: 64 }),
    from: Type.Optional(Type.Array(text, { minItems: 1, maxItems: 16 })),
    at: Type.Optional(pointer),
    nsfw_at: Type.Optional(pointer),
    files: Type.Optional(
      Type.String({
        maxLength: 200,
        pattern: '^[^/\\\\]+$',
        description: 'a pattern of names in one folder',
      }),
    ),
  }),
  opens: Type.Optional(
    Type.Object({
      after_seconds: Type.Number({ minimum: 0, maximum: 86_400 }),
      at_once_if: Type.Optional(oneOf(['none_up'] as const)),
    }),
  ),
  cost: Type.Optional(
    Type.Object({
      currency: Type.String({ pattern: '^[A-Z]{3}$', description: 'three capitals, as USD' }),
      per_render: Type.Optional(amount),
      per_output: Type.Optional(amount),
      per_second: Type.Optional(amount),
      per_megapixel: Type.Optional(amount),
      measured: Type.Optional(
        Type.Partial(
          Type.Object({
            per_second: measuredPrice,
            per_million_text_tokens: measuredPrice,
            per_million_image_tokens: measuredPrice,
            per_million_output_tokens: measuredPrice,
          }),
        ),
      ),
    }),
  ),
  on_unknown: Type.Optional(oneOf(['ask', 'fail', 'retry'] as const)),
  typical_seconds: Type.Optional(seconds),
  swap_seconds: Type.Optional(Type.Number({ minimum: 0, maximum: 86_400 })),
  affinity: Type.Optional(text),
  timeouts: Type.Optional(
    Type.Partial(Type.Object({ submit: seconds, start: seconds, run: seconds, silent: seconds })),
  ),
  workflow: Type.Optional(fileName),
  nodes: Type.Optional(
    named(
      '^[\\p{L}\\p{N}_-]+$',
      'a name has letters, digits, - and _',
      Type.Object({ id: text, class: text, title: Type.Optional(Type.String({ maxLength: 500 })) }),
    ),
  ),
  requires: Type.Optional(Requirements),
  endpoint: Type.Optional(text),
  call: Type.Optional(oneOf(['generations', 'edits', 'txt2img', 'img2img'] as const)),
  body: Type.Optional(Type.Unsafe<JsonObject>({ type: 'object', patternProperties: { '': {} } })),
  run: Type.Optional(Type.Array(Type.String({ maxLength: 4_096 }), { minItems: 1, maxItems: 200 })),
  env: Type.Optional(
    named('^[A-Za-z_][A-Za-z0-9_]*$', 'it is no name of a variable', Type.String({ maxLength: 4_096 })),
  ),
  progress: Type.Optional(text),
  model: Type.Optional(text),
  delay_option: Type.Optional(text),
});

const { video_aspect_ratios: _keysOfVideoSizes, ...offered } = StudioModel.properties.parameters.properties;

export const ManifestFile = Type.Object({
  manifest: Type.Literal(1),
  id: modelId,
  name: Type.String({ minLength: 1, maxLength: 500 }),
  description: Type.Optional(nullable(longText)),
  kind: Type.Optional(StudioModel.properties.kind),
  suites: Type.Array(oneOf(suites), { minItems: 1, maxItems: 4 }),
  default_for: Type.Optional(Type.Array(oneOf(suites), { maxItems: 4 })),
  nsfw: Type.Optional(Type.Boolean()),
  inpaint: Type.Optional(Type.Boolean()),
  inpaint_types: Type.Optional(Type.Array(oneOf(['refine', 'fill'] as const), { minItems: 1, maxItems: 2 })),
  prompt_required: Type.Optional(Type.Boolean()),
  tiers: Type.Optional(Type.Array(shortText, { maxItems: 20 })),
  thumbnail: Type.Optional(nullable(fileName)),
  refused_styles: Type.Optional(Type.Array(id, { maxItems: 200 })),
  batch_size: StudioModel.properties.batch_size,
  parameters: Type.Partial(
    Type.Object({
      ...offered,
      aspect_ratios: Type.Array(
        Type.Object({
          ratio: Type.String({ pattern: ratioPattern, description: ratioForm }),
          width: side,
          height: side,
        }),
        { maxItems: 50 },
      ),
      video_sizes: named(ratioPattern, ratioForm, Type.Object({ width: side, height: side })),
    }),
  ),
  base_models: StudioModel.properties.base_models,
  element: StudioModel.properties.element,
  subjects: StudioModel.properties.subjects,
  price: Price,
  routes: Type.Array(RouteShape, { minItems: 1, maxItems: 32 }),
});
export type ManifestFile = Static<typeof ManifestFile>;
