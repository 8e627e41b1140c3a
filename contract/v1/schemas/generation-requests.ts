import { Type, type Static } from 'typebox';
import { kindFacts, type SettingName, settingFacts } from '../../studio/kinds.ts';
import {
  maxAspectRatioCharacters,
  maxAssetIdCharacters,
  maxDurationCharacters,
  maxExtendPromptCharacters,
  maxMaskCharacters,
  maxMetadataPairs,
  maxMetadataValueCharacters,
  maxModelIdCharacters,
  maxProjectIdCharacters,
  maxPromptCharacters,
  maxReferenceAudios,
  maxReferenceCharacters,
  maxReferenceImages,
  maxResolutionCharacters,
  maxSamplerCharacters,
  maxStrength,
  maxStyleIdCharacters,
  maxStyles,
  maxSuggestionIdCharacters,
  maxSuggestions,
  minStrength,
} from '../limits.ts';
import { realAnswers } from '../real-answers.ts';
import { closed, mapOf, oneOf } from './schema-builders.ts';

/** What an edit does with its source. */
export const editModes = ['transform', 'inpaint'] as const;
export type EditMode = (typeof editModes)[number];

export const inpaintTypes = ['refine', 'fill'] as const;
export type InpaintType = (typeof inpaintTypes)[number];

const reference = (description: string) =>
  Type.String({
    minLength: 1,
    maxLength: maxReferenceCharacters,
    description: `${description} Id of an upload, https address, or id of an item in the library.`,
  });

const model = Type.Optional(
  Type.String({
    maxLength: maxModelIdCharacters,
    description: 'Id of a model; the default of the suite when left out.',
  }),
);
const baseModel = Type.Optional(
  Type.String({
    maxLength: maxModelIdCharacters,
    description: "For characters: one of the model's `base_models`.",
  }),
);
const projectId = Type.Optional(
  Type.String({
    maxLength: maxProjectIdCharacters,
    description: 'Where the outputs go; a project named API when left out.',
  }),
);
const prompt = Type.Optional(
  Type.String({ maxLength: maxPromptCharacters, description: 'What to make. Most models require it.' }),
);
const styles = Type.Optional(
  Type.Array(Type.String({ maxLength: maxStyleIdCharacters }), {
    maxItems: maxStyles,
    description: 'Ids of styles.',
  }),
);
const suggestions = Type.Optional(
  Type.Array(Type.String({ maxLength: maxSuggestionIdCharacters }), {
    maxItems: maxSuggestions,
    description: 'Ids of suggestions, one of a category at most.',
  }),
);
const options = Type.Optional(
  mapOf(Type.Unsafe<string | number | boolean>({ type: ['string', 'number', 'boolean'] }), {
    description: 'Settings of the model alone, by the keys of its `parameters.options`.',
  }),
);
const metadata = Type.Optional(
  mapOf(Type.String({ maxLength: maxMetadataValueCharacters }), {
    maxProperties: maxMetadataPairs,
    description: "The client's own notes, given back on the generation and in events.",
  }),
);
const aspectRatio = Type.Optional(
  Type.String({
    maxLength: maxAspectRatioCharacters,
    description: 'One that the model offers.',
    examples: ['16:9'],
  }),
);
/** Returns the schema fields for the numbers that a request may set. */
function settingFields<Name extends SettingName>(names: readonly Name[]) {
  const fieldOf = (name: Name) => {
    const number = settingFacts[name].whole === true ? Type.Integer : Type.Number;
    return Type.Optional(number({ description: `Within the model's \`parameters.${name}\`.` }));
  };
  return Object.fromEntries(names.map((name) => [name, fieldOf(name)])) as {
    [S in Name]: ReturnType<typeof fieldOf>;
  };
}
const referenceImages = Type.Optional(
  Type.Array(reference('A picture to go by.'), {
    maxItems: maxReferenceImages,
    description: 'Pictures to go by, as many as the model takes.',
  }),
);
const duration = Type.Optional(
  Type.Unsafe<string | number>({
    type: ['string', 'number'],
    maxLength: maxDurationCharacters,
    description: 'Seconds; one of the durations of the model. 5 and "5" are the same.',
  }),
);

const imageFields = {
  model,
  base_model: baseModel,
  project_id: projectId,
  prompt,
  styles,
  suggestions,
  options,
  metadata,
  aspect_ratio: aspectRatio,
  ...settingFields(kindFacts.image.settings),
  sampler: Type.Optional(
    Type.String({ maxLength: maxSamplerCharacters, description: 'Where the model lets one choose.' }),
  ),
  reference_images: referenceImages,
};

const editFields = {
  ...imageFields,
  image: reference('The picture to change.'),
  mode: Type.Optional(oneOf(editModes, { description: '`transform` when left out.' })),
  strength: Type.Optional(
    Type.Number({
      minimum: minStrength,
      maximum: maxStrength,
      description: 'How far the result may depart from the source: 0.5 when left out, 0.8 for `fill`.',
    }),
  ),
  mask: Type.Optional(
    Type.String({
      maxLength: maxMaskCharacters,
      description:
        'Inpaint only: a PNG, white where the picture is to change, as a data URL or the id of an upload.',
    }),
  ),
  inpaint_type: Type.Optional(oneOf(inpaintTypes, { description: 'Inpaint only.' })),
  mask_blur: Type.Optional(
    Type.Number({ description: "Inpaint only, within the model's `parameters.mask_blur`." }),
  ),
};

const videoFields = {
  model,
  base_model: baseModel,
  project_id: projectId,
  prompt,
  styles,
  suggestions,
  options,
  metadata,
  aspect_ratio: aspectRatio,
  ...settingFields(kindFacts.video.settings),
  reference_images: referenceImages,
  duration,
  start_image: Type.Optional(reference('First frame, where the model takes one.')),
  end_image: Type.Optional(reference('Last frame, where the model takes one.')),
  reference_audios: Type.Optional(
    Type.Array(reference('Reference audio.'), {
      maxItems: maxReferenceAudios,
      description: 'Reference audio, where the model takes any.',
    }),
  ),
  source_video: Type.Optional(reference('A video to start from, where the model takes one.')),
};

const extendFields = {
  video_id: Type.String({
    minLength: 1,
    maxLength: maxAssetIdCharacters,
    description: 'Output id of a finished video generation.',
  }),
  prompt: Type.Optional(
    Type.String({ maxLength: maxExtendPromptCharacters, description: 'How the video is to go on.' }),
  ),
  duration,
  resolution: Type.Optional(
    Type.String({
      maxLength: maxResolutionCharacters,
      description: "One of the extend model's option `resolution`.",
    }),
  ),
  project_id: projectId,
  styles,
  suggestions,
  metadata,
};

// Example requests: those that made the generations in the example answers, without ids that existed only there, and
// two requests that continue from them.
const imageExample = {
  model: realAnswers.generation.model,
  prompt: 'a lighthouse above a calm sea at dusk',
  aspect_ratio: '1:1',
  metadata: realAnswers.generation.metadata,
};
const editExample = { image: realAnswers.asset.id, prompt: 'the same lighthouse in winter', strength: 0.6 };
const videoExample = { prompt: 'clouds drift over mountains', duration: 3 };
const extendExample = {
  video_id: realAnswers.videoGeneration.outputs[0]?.id,
  prompt: 'the sun sets',
  resolution: '480p',
};

/** Only the form of a request; `contract/studio/validate.ts` checks it against its model. */
export const CreateImageRequest = closed(imageFields, {
  title: 'CreateImageRequest',
  description: 'A picture made from text. How many come back is set by the model.',
  examples: [imageExample],
});
export type CreateImageRequest = Static<typeof CreateImageRequest>;

export const CreateEditRequest = closed(editFields, {
  title: 'CreateEditRequest',
  description: 'A picture made from a picture, or a part of it made anew.',
  examples: [editExample],
});
export type CreateEditRequest = Static<typeof CreateEditRequest>;

export const CreateVideoRequest = closed(videoFields, {
  title: 'CreateVideoRequest',
  description: 'A video made from text or pictures.',
  examples: [videoExample],
});
export type CreateVideoRequest = Static<typeof CreateVideoRequest>;

export const ExtendVideoRequest = closed(extendFields, {
  title: 'ExtendVideoRequest',
  description: 'Continues a finished video of the library.',
  examples: [extendExample],
});
export type ExtendVideoRequest = Static<typeof ExtendVideoRequest>;

/** The body of an estimate for each kind: the body of the create plus `kind`. */
export const estimateRequests = {
  image: closed(
    { kind: Type.Literal('image'), ...imageFields },
    {
      title: 'EstimateImageRequest',
      description: 'The image request, to be priced.',
      examples: [{ kind: 'image', ...imageExample }],
    },
  ),
  image_edit: closed(
    { kind: Type.Literal('image_edit'), ...editFields },
    {
      title: 'EstimateEditRequest',
      description: 'The edit request, to be priced.',
      examples: [{ kind: 'image_edit', ...editExample }],
    },
  ),
  video: closed(
    { kind: Type.Literal('video'), ...videoFields },
    {
      title: 'EstimateVideoRequest',
      description: 'The video request, to be priced.',
      examples: [{ kind: 'video', ...videoExample }],
    },
  ),
  video_extend: closed(
    { kind: Type.Literal('video_extend'), ...extendFields },
    {
      title: 'EstimateExtendRequest',
      description: 'The extend request, to be priced.',
      examples: [{ kind: 'video_extend', ...extendExample }],
    },
  ),
} as const;
