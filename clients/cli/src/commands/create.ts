import { type Command, command } from '../command.ts';
import { UsageError } from '../cli-error.ts';
import { serviceAddress } from '../config.ts';
import type { CreateKind, RequestBody } from '../create/kinds.ts';
import { make, makeOptions } from '../create/make.ts';
import {
  amountOf,
  bodyOptions,
  completeBody,
  readAll,
  referenceReader,
  sharedBody,
} from '../create/request-body.ts';
import { type CodeForm, codeForms, requestCode } from '../create/request-code.ts';
import { promptOf } from '../inputs.ts';
import type { Option, Values } from '../options.ts';
import type { Session } from '../session.ts';

/** Options of every create. */
const shared = {
  ...bodyOptions,
  ...makeOptions,
  code: { form: 'FORM', about: 'write the request down and send nothing', choices: codeForms },
} as const satisfies Record<string, Option>;

type SharedValues = Values<typeof shared>;

const readerOf = (session: Session, { code }: SharedValues) => referenceReader(session, code !== undefined);

async function create(
  session: Session,
  values: SharedValues,
  kind: CreateKind,
  given: RequestBody,
): Promise<void> {
  const body = await completeBody(session, kind, values.from, given);
  if (values.code === undefined) return make(session, values, [{ kind, body }]);
  const more = { count: values.count, output: values.output };
  // No request is sent, so no key is needed.
  const baseUrl = serviceAddress(session.environment, session.values);
  const code = requestCode(values.code as CodeForm, { kind, body, baseUrl, more });
  process.stdout.write(`${code}\n`);
}

export const image = command({
  usage: 'PROMPT…',
  about: 'Makes pictures from text and waits for them. The prompt comes from stdin where there is none.',
  options: shared,
  run: async (session, words, values) => {
    const body = {
      ...(await sharedBody(values, readerOf(session, values))),
      // With `--from`, the earlier request already has a prompt, and a loop over ids needs stdin for itself.
      prompt: await promptOf(words, { reads: values.from === undefined }),
    };
    await create(session, values, 'image', body);
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
    if (source === undefined && values.from === undefined)
      throw new UsageError('Name the picture to change.', 'As: renderkit edit @lake.png "in winter"');
    if (values.refine === true && values.fill === true)
      throw new UsageError('--refine and --fill exclude each other.');
    const read = readerOf(session, values);
    const body = {
      ...(await sharedBody(values, read)),
      image: source === undefined ? undefined : await read(source),
      prompt: words.length === 0 ? undefined : words.join(' '),
      mask: values.mask === undefined ? undefined : await read(values.mask),
      mode: values.mask === undefined ? undefined : 'inpaint',
      inpaint_type: values.refine === true ? 'refine' : values.fill === true ? 'fill' : undefined,
      strength: amountOf(values.strength, 'strength'),
    };
    await create(session, values, 'image_edit', body);
  },
});

export const video = command({
  usage: 'PROMPT…',
  about: 'Makes a video from text or pictures and waits for it.',
  options: {
    ...shared,
    start: { form: '@FILE|ID', about: 'the first frame' },
    end: { form: '@FILE|ID', about: 'the last frame' },
    audio: { form: '@FILE|ID', about: 'audio to go by', multiple: true },
    source: { form: '@FILE|ID', about: 'a video to start from' },
    duration: { short: 'd', form: 'SECONDS', about: 'how long it is' },
  },
  run: async (session, words, values) => {
    const read = readerOf(session, values);
    const one = (text: string | undefined) => (text === undefined ? undefined : read(text));
    const readsId = [values.start, values.end, values.source].includes('-');
    const body = {
      ...(await sharedBody(values, read)),
      start_image: await one(values.start),
      end_image: await one(values.end),
      source_video: await one(values.source),
      reference_audios: await readAll(values.audio, read),
      prompt: readsId
        ? words.join(' ') || undefined
        : await promptOf(words, { reads: values.from === undefined }),
      duration: values.duration,
    };
    await create(session, values, 'video', body);
  },
});

export const extend = command({
  usage: 'VIDEO PROMPT…',
  about: 'Makes what comes after a video of the library: its id, or that of its generation.',
  options: {
    ...shared,
    duration: { short: 'd', form: 'SECONDS', about: 'how long it is' },
  },
  run: async (session, [source, ...words], values) => {
    if (source === undefined && values.from === undefined)
      throw new UsageError(
        'Name the video to go on from.',
        '`renderkit assets list --type video` lists them.',
      );
    const read = readerOf(session, values);
    const body = {
      ...(await sharedBody(values, read)),
      video_id: source === undefined ? undefined : await read(source),
      prompt: words.length === 0 ? undefined : words.join(' '),
      duration: values.duration,
    };
    await create(session, values, 'video_extend', body);
  },
});

/** Returns a command with the same flags that prints the price of the request. */
function priceOf(made: Command): Command {
  return {
    ...made,
    about: 'Tells what the same request would cost, and makes nothing.',
    run: (session, words, values) => made.run(session, words, { ...values, estimate: true }),
  };
}

export const estimateImage = priceOf(image);
export const estimateEdit = priceOf(edit);
export const estimateVideo = priceOf(video);
export const estimateExtend = priceOf(extend);
