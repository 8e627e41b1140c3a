import type { CreateOptions, Generation } from 'renderkit';
import { millisecondsOf, optionValue, pairsOf } from '../amounts.ts';
import { command } from '../command.ts';
import type { Option, Values } from '../options.ts';
import { UsageError } from '../cli-error.ts';
import { follow } from '../follow.ts';
import { promptOf, referenceOf } from '../inputs.ts';
import { pictureProtocol, pictureText, previewKinds, type PreviewKind } from '../pictures.ts';
import { checkPrice, priceOptions } from '../price.ts';
import { doneText } from '../progress.ts';
import { saveOutputs } from '../save-outputs.ts';
import type { Session } from '../session.ts';

/** What every create takes. */
const shared = {
  model: { short: 'm', form: 'ID', about: 'the model; the default of its kind when left out' },
  ratio: { short: 'r', form: 'RATIO', about: 'aspect ratio, as 16:9' },
  ref: { form: '@FILE|ID', about: 'a picture to go by', multiple: true },
  style: { form: 'ID', about: 'a style', multiple: true },
  suggestion: { form: 'ID', about: 'a building block of the prompt', multiple: true },
  option: { short: 'O', form: 'KEY=VALUE', about: 'an option of the model', multiple: true },
  cfg: { form: 'N', about: 'how closely the prompt is followed' },
  project: { form: 'ID', about: 'where the outputs go' },
  meta: { form: 'KEY=VALUE', about: 'a note of yours, given back with the generation', multiple: true },
  output: {
    short: 'o',
    form: 'PATH|-',
    about: 'write the outputs to a file, a folder (with / at its end) or stdout',
  },
  preview: { form: 'KIND', about: 'pictures in the terminal', choices: previewKinds },
  estimate: { about: 'tell the price and send nothing' },
  ...priceOptions,
  'no-wait': { about: 'answer with the id at once' },
  timeout: { form: 'TIME', about: 'how long to wait, as 90s or 10m; it goes on afterwards (exit code 7)' },
  'idempotency-key': { form: 'KEY', about: 'the same key with the same request is charged once' },
} as const satisfies Record<string, Option>;

type SharedValues = Values<typeof shared>;
type Body = Record<string, unknown>;

/** One of the four creates: its name in an estimate, and how it is sent. */
type Create = {
  kind: 'image' | 'image_edit' | 'video' | 'video_extend';
  send: (session: Session, body: Body, options: CreateOptions) => Promise<Generation>;
};

export const image = command({
  usage: 'PROMPT…',
  about: 'Makes pictures from text and waits for them. The prompt comes from stdin where there is none.',
  options: shared,
  run: async (session, words, values) => {
    const body = { ...(await bodyOf(session, values)), prompt: await promptOf(words) };
    await create(session, values, body, {
      kind: 'image',
      send: ({ client }, params, options) => client.images.create(params, options),
    });
  },
});

export const edit = command({
  usage: 'IMAGE PROMPT…',
  about: 'Changes a picture: @FILE, an id, a generation, an https address, or - for an id on stdin.',
  options: {
    ...shared,
    mask: { form: '@FILE|ID', about: 'a PNG, white where the picture may change' },
    strength: { form: 'N', about: 'how far it may depart from the picture, 0 to 1' },
    refine: { about: 'keep what lies under the mask as a start' },
    fill: { about: 'make what lies under the mask anew' },
  },
  run: async (session, [source, ...words], values) => {
    if (source === undefined)
      throw new UsageError('Name the picture to change.', 'As: renderkit edit @lake.png "in winter"');
    if (values.refine === true && values.fill === true)
      throw new UsageError('--refine and --fill exclude each other.');
    const inpaint = values.mask !== undefined;
    const body = {
      ...(await bodyOf(session, values)),
      image: await referenceOf(session, source),
      prompt: words.length === 0 ? undefined : words.join(' '),
      mask: values.mask === undefined ? undefined : await referenceOf(session, values.mask),
      mode: inpaint ? 'inpaint' : undefined,
      inpaint_type: values.refine === true ? 'refine' : values.fill === true ? 'fill' : undefined,
      strength: amount(values.strength, 'strength'),
    };
    await create(session, values, body, {
      kind: 'image_edit',
      send: ({ client }, params, options) => client.images.createEdit(params as { image: string }, options),
    });
  },
});

export const video = command({
  usage: 'PROMPT…',
  about: 'Makes a video from text or pictures and waits for it.',
  options: {
    ...shared,
    start: { form: '@FILE|ID', about: 'the first frame' },
    end: { form: '@FILE|ID', about: 'the last frame' },
    audio: { form: '@FILE|ID', about: 'a sound to go by', multiple: true },
    source: { form: '@FILE|ID', about: 'a video to start from' },
    duration: { short: 'd', form: 'SECONDS', about: 'how long it is' },
  },
  run: async (session, words, values) => {
    const reference = (text: string | undefined) =>
      text === undefined ? undefined : referenceOf(session, text);
    const readsId = [values.start, values.end, values.source].includes('-');
    const body = {
      ...(await bodyOf(session, values)),
      start_image: await reference(values.start),
      end_image: await reference(values.end),
      source_video: await reference(values.source),
      reference_audios: await references(session, values.audio),
      prompt: readsId ? words.join(' ') || undefined : await promptOf(words),
      duration: values.duration,
    };
    await create(session, values, body, {
      kind: 'video',
      send: ({ client }, params, options) => client.videos.create(params, options),
    });
  },
});

export const extend = command({
  usage: 'VIDEO PROMPT…',
  about: 'Makes what comes after a video of the library: its id, or that of its generation.',
  options: shared,
  run: async (session, [source, ...words], values) => {
    if (source === undefined)
      throw new UsageError(
        'Name the video to go on from.',
        '`renderkit assets list --type video` lists them.',
      );
    const body = {
      ...(await bodyOf(session, values)),
      video_id: await referenceOf(session, source),
      prompt: words.length === 0 ? undefined : words.join(' '),
    };
    await create(session, values, body, {
      kind: 'video_extend',
      send: ({ client }, params, options) =>
        client.videos.extend(params as { video_id: string; prompt: string }, options),
    });
  },
});

async function bodyOf(session: Session, values: SharedValues): Promise<Body> {
  const options = Object.entries(pairsOf(values.option ?? [], 'option'));
  return {
    model: values.model,
    aspect_ratio: values.ratio,
    reference_images: await references(session, values.ref),
    styles: values.style,
    suggestions: values.suggestion,
    cfg: amount(values.cfg, 'cfg'),
    project_id: values.project,
    ...(options.length > 0 && {
      options: Object.fromEntries(options.map(([key, value]) => [key, optionValue(value)])),
    }),
    ...(values.meta !== undefined && { metadata: pairsOf(values.meta, 'meta') }),
  };
}

function references(session: Session, given: readonly string[] | undefined) {
  return given === undefined ? undefined : Promise.all(given.map((text) => referenceOf(session, text)));
}

function amount(text: string | undefined, name: string): number | undefined {
  const value = text === undefined ? undefined : optionValue(text);
  if (value !== undefined && typeof value !== 'number')
    throw new UsageError(`--${name} is a number, not ${text}.`);
  return value;
}

/** The way of a create: its price, the create itself, the wait, the files, the result. */
async function create(
  session: Session,
  values: SharedValues,
  given: Body,
  { kind, send }: Create,
): Promise<void> {
  const { client, output } = session;
  const body = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
  const estimate = () => client.estimate({ kind, ...body } as Parameters<typeof client.estimate>[0]);
  if (values.estimate === true) {
    const price = await estimate();
    const text = `${price.credits} credits · ${price.outputs} outputs · ${price.model}`;
    return output.result(price, [String(price.credits)], () => [text]);
  }
  const timeoutMs = values.timeout === undefined ? undefined : millisecondsOf(values.timeout, 'timeout');
  const maxCredits = await checkPrice(session, values, estimate);
  output.progress('being sent');
  const created = await send(session, body, {
    idempotencyKey: values['idempotency-key'],
    maxCredits,
  });
  if (values['no-wait'] === true) return output.result(created, [created.id], () => [created.id]);
  if (output.hasLine) output.note(output.faint(created.id));
  const kindOfPreview = (values.preview ?? 'auto') as PreviewKind;
  if (kindOfPreview === 'sixel')
    output.note('No sixel pictures: what is drawn in a terminal here is for kitty and iTerm.');
  const pictures = pictureProtocol(session.environment, kindOfPreview, process.stderr.isTTY);
  const done = await follow(session, created.id, { timeoutMs, pictures });
  await showDone(session, done, values.output, pictures);
}

async function showDone(
  session: Session,
  done: Generation,
  target: string | undefined,
  pictures: ReturnType<typeof pictureProtocol>,
): Promise<void> {
  const { output, client } = session;
  if (done.error !== null) output.note(`Not all was made: ${done.error.message}`);
  const files = target === undefined ? [] : await saveOutputs(session, done, target);
  if (target === '-') return output.note(doneText(done));
  const result = target === undefined ? done : { ...done, files };
  output.result(
    result,
    done.outputs.map(({ id }) => id),
    () => [
      doneText(done),
      ...done.outputs.map((one, i) => `  ${one.id}  ${sizeOf(one)}  ${files[i] ?? one.url}`),
    ],
  );
  const [first] = done.outputs;
  if (pictures === 'none' || first?.type !== 'image' || output.isJson || output.isQuiet) return;
  const picture = await (await client.fetchOutput(first)).arrayBuffer();
  process.stderr.write(pictureText(pictures, new Uint8Array(picture)) ?? '');
}

function sizeOf({ width, height, duration }: Generation['outputs'][number]): string {
  const size = width === null || height === null ? '' : `${width} × ${height}`;
  return duration === null ? size : `${size} ${duration} s`;
}
