import { listed } from '@renderkit/contract/studio/issues.ts';
import { nearestNames, normalName, shownName } from '@renderkit/server-kit/nearest-names.ts';

/** Facts about the request's model that messages about unknown fields contain. */
export type ModelFacts = {
  id: string;
  /** The ratios for the requested kind of output. */
  ratios: readonly string[];
  /** The keys of the model's own options. */
  options: readonly string[];
};

/** The fields or parameters that exist, and the model of the request when it is known. */
export type Known = {
  what: 'field' | 'parameter';
  names: readonly string[];
  model?: ModelFacts | undefined;
};

/** What a name of another API corresponds to here. The message names the first of `fields` that the request has. */
type Pointer = { names: readonly string[] } & (
  | { fields: readonly string[] }
  | { option: string }
  | { advice: string }
);

/** Names of other APIs for something that has another name or place here, in the form that `normalName` returns. */
const pointers: readonly Pointer[] = [
  {
    names: [
      'n',
      'num',
      'count',
      'batch',
      'batchsize',
      'batchcount',
      'niter',
      'outputs',
      'samples',
      'nsamples',
    ],
    advice: 'the number of images is set by the model (batch_size)',
  },
  {
    names: [
      'numimages',
      'numoutputs',
      'numsamples',
      'numberofimages',
      'numberofoutputs',
      'numvideos',
      'imagecount',
    ],
    advice: 'the number of images is set by the model (batch_size)',
  },
  {
    names: [
      'size',
      'width',
      'height',
      'imagesize',
      'dimensions',
      'resolution',
      'ratio',
      'aspect',
      'orientation',
    ],
    fields: ['aspect_ratio'],
  },
  { names: ['seed', 'randomseed'], option: 'seed' },
  { names: ['negativeprompt', 'negative', 'negativetext'], option: 'negative_prompt' },
  { names: ['steps', 'numinferencesteps', 'inferencesteps', 'numsteps'], option: 'steps' },
  { names: ['quality'], option: 'quality' },
  { names: ['guidance', 'guidancescale', 'cfgscale', 'promptguidance'], fields: ['cfg'] },
  { names: ['text', 'textprompt', 'inputtext', 'input', 'description', 'caption'], fields: ['prompt'] },
  {
    names: [
      'image',
      'images',
      'imageurl',
      'imageurls',
      'imageid',
      'initimage',
      'inputimage',
      'sourceimage',
      'imageprompt',
    ],
    fields: ['image', 'start_image', 'reference_images'],
  },
  { names: ['referenceimage', 'references', 'imagereferences'], fields: ['reference_images'] },
  { names: ['maskimage', 'maskurl', 'inpaintmask'], fields: ['mask'] },
  { names: ['denoisingstrength', 'denoise', 'promptstrength', 'imagestrength'], fields: ['strength'] },
  { names: ['startframe', 'firstframe', 'startimageurl', 'firstframeimage'], fields: ['start_image'] },
  { names: ['endframe', 'lastframe', 'endimageurl', 'tailimage'], fields: ['end_image'] },
  { names: ['video', 'videourl', 'inputvideo', 'videouri'], fields: ['source_video', 'video_id'] },
  { names: ['audio', 'audiourl', 'sound', 'music'], fields: ['reference_audios'] },
  { names: ['seconds', 'length', 'durationseconds', 'videolength'], fields: ['duration'] },
  { names: ['stylepreset', 'styleid', 'styleids'], fields: ['styles'] },
  { names: ['modelid', 'modelname', 'engine', 'checkpoint'], fields: ['model'] },
  { names: ['samplername', 'samplerindex', 'scheduler'], fields: ['sampler'] },
  { names: ['project', 'projectname', 'folder'], fields: ['project_id'] },
  { names: ['user', 'userid', 'tags', 'externalid', 'reference', 'custom'], fields: ['metadata'] },
  { names: ['timestamp', 'second', 'position', 'frame'], fields: ['time'] },
  { names: ['name'], fields: ['title', 'file_name'] },
  {
    names: ['webhook', 'webhookurl', 'callback', 'callbackurl', 'notifyurl'],
    advice: 'webhooks are made in the console',
  },
  { names: ['idempotencykey'], advice: 'the key is sent as the header Idempotency-Key' },
];
const pointerOf = new Map(pointers.flatMap((pointer) => pointer.names.map((name) => [name, pointer])));

/** The message lists all names when there are at most this many. */
const maxListed = 8;

/** Returns the message about a name that a request does not have: where it belongs, or the most similar name. */
export function describeUnknown(name: string, known: Known): string {
  const hint = hintFor(name, known);
  return `there is no ${known.what} ${shownName(name)}${hint === undefined ? '' : `; ${hint}`}`;
}

function hintFor(name: string, { what, names, model }: Known): string | undefined {
  const normal = normalName(name);
  const twin = names.find((one) => normalName(one) === normal);
  if (twin !== undefined) return `did you mean ${twin}?`;
  const option = model?.options.find((key) => normalName(key) === normal);
  if (option !== undefined) return `send it as options.${option}`;
  const pointer = what === 'field' ? pointerOf.get(normal) : undefined;
  const pointed = pointer && hintOf(pointer, names, model);
  if (pointed !== undefined) return pointed;
  const near = nearestNames(
    name,
    [
      ...names.map((one) => ({ label: one, texts: [one] })),
      ...(model?.options ?? []).map((key) => ({ label: `options.${key}`, texts: [key] })),
    ],
    2,
  );
  if (near.length > 0) return `did you mean ${near.join(' or ')}?`;
  if (names.length === 0) return `none is taken here`;
  if (names.length > maxListed) return undefined;
  return names.length === 1 ? `the only one is ${names[0]}` : `those that there are: ${names.join(', ')}`;
}

function hintOf(
  pointer: Pointer,
  names: readonly string[],
  model: ModelFacts | undefined,
): string | undefined {
  // An extension, a project and a frame have no model to choose and no number of outputs.
  const ofModel = names.includes('options');
  if ('advice' in pointer) return ofModel || names.includes('video_id') ? pointer.advice : undefined;
  if ('option' in pointer) return ofModel ? optionHint(pointer.option, model) : undefined;
  const field = pointer.fields.find((one) => names.includes(one));
  if (field === undefined) return undefined;
  if (field !== 'aspect_ratio' || model === undefined || model.ratios.length === 0) return `use ${field}`;
  return `use aspect_ratio, of which the model ${model.id} has ${listed(model.ratios)}`;
}

function optionHint(key: string, model: ModelFacts | undefined): string {
  if (model === undefined) return `a model that has it takes it as options.${key}`;
  const own = model.options.find((one) => normalName(one) === normalName(key));
  return own === undefined ? `the model ${model.id} has none` : `send it as options.${own}`;
}
