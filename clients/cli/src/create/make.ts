import type { Generation, SucceededGeneration } from 'renderkit';
import { RenderkitError } from 'renderkit';
import { countOf, millisecondsOf, sumCredits } from '../amounts.ts';
import { CliError, UsageError } from '../cli-error.ts';
import { failureOf } from '../failure.ts';
import { follow } from '../wait-for-generation.ts';
import { openInDesktop } from '../open-in-desktop.ts';
import type { Option, Values } from '../options.ts';
import { imageProtocol, imageText, previewKinds, type PreviewKind } from '../terminal-images.ts';
import { checkPrice, priceOptions } from '../price.ts';
import { doneText } from '../progress.ts';
import { prepareFolder, saveOutputs } from '../save-outputs.ts';
import type { Session } from '../session.ts';
import { bodiesOfRounds } from './bodies-of-rounds.ts';
import { type CreateKind, createKinds, type RequestBody } from './kinds.ts';

/** Options that decide how a create is paid, waited for and shown. */
export const makeOptions = {
  count: {
    short: 'n',
    form: 'N',
    about: 'how many outputs at least: as many generations as it takes, priced together',
  },
  output: {
    short: 'o',
    form: 'PATH|-',
    about: 'write the outputs to a file, a folder (with / at its end) or stdout',
  },
  open: { about: 'open the outputs in the program for them' },
  preview: { form: 'KIND', about: 'pictures in the terminal', choices: previewKinds },
  estimate: { about: 'tell the price and send nothing' },
  ...priceOptions,
  'no-wait': { about: 'answer with the id at once' },
  timeout: { form: 'TIME', about: 'how long to wait, as 90s or 10m; it goes on afterwards (exit code 7)' },
  'idempotency-key': { form: 'KEY', about: 'the same key with the same request is charged once' },
} as const satisfies Record<string, Option>;

type MakeValues = Values<typeof makeOptions>;

/** A request to send. */
export type Wanted = {
  kind: CreateKind;
  body: RequestBody;
  /** Suffix for the given idempotency key, when several requests are sent. */
  keySuffix?: string;
};

/** Runs the whole command: checks the total price, sends the creates, waits, writes the files and prints the result. */
export async function make(session: Session, values: MakeValues, wanted: readonly Wanted[]): Promise<void> {
  const { client, output } = session;
  const timeoutMs = values.timeout === undefined ? undefined : millisecondsOf(values.timeout, 'timeout');
  const count = values.count === undefined ? 1 : countOf(values.count, 'count');
  if (values.output === '-' && wanted.length * count > 1)
    throw new UsageError('Only one output can go to stdout.', 'Name a folder with -o, with / at its end.');
  const prices = new Map<Wanted, ReturnType<typeof client.estimate>>();
  const priceOf = (one: Wanted) => {
    const { kind, body } = one;
    const told =
      prices.get(one) ?? client.estimate({ kind, ...body } as Parameters<typeof client.estimate>[0]);
    prices.set(one, told);
    return told;
  };
  const roundsOf = async (one: Wanted) => (count === 1 ? 1 : Math.ceil(count / (await priceOf(one)).outputs));
  const estimate = async () => {
    const told = [];
    for (const one of wanted) told.push({ ...(await priceOf(one)), rounds: await roundsOf(one) });
    const { rounds: _rounds, ...first } = told[0] as (typeof told)[number];
    const models = [...new Set(told.map(({ model }) => model))];
    return {
      ...first,
      model: models.join(', '),
      credits: sumCredits(told.map(({ credits, rounds }) => credits * rounds)),
      outputs: told.reduce((all, { outputs, rounds }) => all + outputs * rounds, 0),
    };
  };
  if (values.estimate === true) {
    const price = await estimate();
    const text = `${price.credits} credits · ${price.outputs} outputs · ${price.model}`;
    return output.result(price, [String(price.credits)], () => [text]);
  }
  if (values.output !== undefined && values.output !== '-') prepareFolder(values.output);
  const agreed = await checkPrice(session, values, estimate);
  output.progress('being sent');
  const orders: Order[] = [];
  for (const one of wanted) {
    const rounds = await roundsOf(one);
    const isOnly = wanted.length === 1 && rounds === 1;
    const bodies =
      rounds === 1 ? [one.body] : await bodiesOfRounds(client, one.body, await priceOf(one), rounds);
    for (const [i, body] of bodies.entries())
      orders.push({
        kind: one.kind,
        body,
        // With several creates, each may cost at most its estimate, so the total stays below the agreed price.
        maxCredits: agreed === undefined || isOnly ? agreed : (await priceOf(one)).credits,
        key: keyOf(values['idempotency-key'], one, i + 1),
      });
  }
  const created = await sendAll(session, orders);
  if (values['no-wait'] === true) {
    for (const one of created) output.result(one, [one.id], () => [one.id]);
    return;
  }
  if (output.hasLine) output.note(output.faint(created.map(({ id }) => id).join(' ')));
  const pictures = imagesOf(session, values);
  const hasKey = values['idempotency-key'] !== undefined;
  const done = await waitForAll(session, created, { timeoutMs, pictures, hasKey }, (made) =>
    show(session, made, values, pictures),
  );
  await show(session, done, values, pictures);
}

/** Returns the idempotency key of one create. Each create has a different key. */
function keyOf(given: string | undefined, { keySuffix }: Wanted, round: number): string | undefined {
  if (given === undefined) return undefined;
  return [given, ...(keySuffix === undefined ? [] : [keySuffix]), ...(round === 1 ? [] : [round])].join('-');
}

type Order = {
  kind: CreateKind;
  body: RequestBody;
  /** The highest price, in credits. */
  maxCredits: number | undefined;
  key: string | undefined;
};

async function sendAll({ client, output }: Session, orders: readonly Order[]): Promise<Generation[]> {
  const created: Generation[] = [];
  try {
    for (const { kind, body, key: idempotencyKey, maxCredits } of orders)
      created.push(await createKinds[kind].send(client, body, { idempotencyKey, maxCredits }));
    return created;
  } catch (error) {
    // These generations are paid, so their ids are printed before the error.
    showIds(output, created);
    throw error;
  }
}

type Waiting = {
  timeoutMs: number | undefined;
  pictures: ReturnType<typeof imageProtocol>;
  /** The command has an idempotency key: running it again is charged only once. */
  hasKey: boolean;
};

/** Prints the ids of generations that continue without this process. */
function showIds(output: Session['output'], created: readonly Generation[]): void {
  for (const { id } of created) output.result({ id }, [id], () => [id]);
}

/**
 * Waits for all generations and returns those that have succeeded; some may fail. If the wait ends early, calls
 * `showDone` with the finished ones and prints the ids of the others on stdout.
 *
 * @throws RenderkitError the first failure if no generation has succeeded; any error that `follow` throws
 */
async function waitForAll(
  session: Session,
  created: readonly Generation[],
  waiting: Waiting,
  showDone: (done: readonly SucceededGeneration[]) => Promise<void>,
): Promise<SucceededGeneration[]> {
  const done: SucceededGeneration[] = [];
  const failed: RenderkitError[] = [];
  for (const [i, { id }] of created.entries())
    try {
      done.push(await follow(session, id, waiting));
    } catch (error) {
      const isOver = RenderkitError.is(error) && error.generation !== undefined;
      if (isOver && created.length > 1) {
        failed.push(error);
        continue;
      }
      // The id of a generation that still runs was printed already. After Ctrl-C with a single generation, the error
      // message contains the id.
      const isReported =
        isOver ||
        (RenderkitError.is(error) && error.code === 'still_running') ||
        (created.length === 1 && error instanceof CliError);
      showIds(session.output, created.slice(isReported ? i + 1 : i));
      if (done.length > 0) await showDone(done);
      // The generations are paid. Without a fixed key, the same command would pay again, so the error is not retryable.
      throw RenderkitError.is(error) && !waiting.hasKey ? Object.assign(error, { retryable: false }) : error;
    }
  if (done.length === 0) throw failed[0];
  for (const { generationId, message } of failed) session.output.note(`${generationId}: ${message}`);
  return done;
}

function imagesOf({ output, environment }: Session, { preview = 'auto' }: MakeValues) {
  if (preview === 'sixel')
    output.note('No sixel pictures: what is drawn in a terminal here is for kitty and iTerm.');
  return imageProtocol(environment, preview as PreviewKind, process.stderr.isTTY);
}

async function show(
  session: Session,
  done: readonly SucceededGeneration[],
  values: MakeValues,
  pictures: ReturnType<typeof imageProtocol>,
): Promise<void> {
  const { output, client } = session;
  const target = values.output;
  for (const { error } of done) if (error !== null) output.note(`Not all was made: ${error.message}`);
  const outputs = done.flatMap((one) => one.outputs);
  let files: string[] = [];
  try {
    if (target !== undefined) files = await saveOutputs(session, outputs, target);
  } catch (error) {
    // The generations are made and paid, so they are printed before the error.
    if (target !== '-') tell(session, done, outputs, undefined);
    throw notSaved(done, error);
  }
  const places = outputs.map(({ url }, i) => files[i] ?? url);
  if (values.open === true) for (const place of places) openInDesktop(session, place);
  if (target === '-') return done.forEach((one) => output.note(doneText(one)));
  tell(session, done, outputs, target === undefined ? undefined : places);
  const [first] = outputs;
  if (pictures === 'none' || first?.type !== 'image' || output.isJson || output.isQuiet) return;
  // A picture that cannot be shown is still saved.
  const picture = await client
    .fetchOutput(first)
    .then((answer) => answer.arrayBuffer())
    .catch(() => undefined);
  if (picture !== undefined) process.stderr.write(imageText(pictures, new Uint8Array(picture)) ?? '');
}

/** Prints the generations on stdout, with the files of all their outputs. */
function tell(
  { output }: Session,
  done: readonly SucceededGeneration[],
  outputs: Generation['outputs'],
  files: readonly string[] | undefined,
): void {
  for (const one of done) {
    const at = outputs.indexOf(one.outputs[0]);
    const own = files?.slice(at, at + one.outputs.length);
    output.result(
      own === undefined ? one : { ...one, files: own },
      one.outputs.map(({ id }) => id),
      () => [
        doneText(one),
        ...one.outputs.map((made, i) => `  ${made.id}  ${sizeOf(made)}  ${own?.[i] ?? made.url}`),
      ],
    );
  }
}

function notSaved(done: readonly SucceededGeneration[], error: unknown): unknown {
  const failure = failureOf(error);
  const [first] = done;
  if (failure === undefined || first === undefined) return error;
  const ids = done.map(({ id }) => id).join(' ');
  return new CliError(`${ids} is made and paid, and was not saved: ${failure.message}`, {
    exitCode: failure.exitCode,
    code: failure.code,
    advice: `\`renderkit gen download ${ids} -o FOLDER/\` saves it for nothing.`,
    generationId: first.id,
  });
}

function sizeOf({ width, height, duration }: Generation['outputs'][number]): string {
  const size = width === null || height === null ? '' : `${width} × ${height}`;
  return duration === null ? size : `${size} ${duration} s`;
}
