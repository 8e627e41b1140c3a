import type { Generation } from 'renderkit';
import { countOf, millisecondsOf } from '../amounts.ts';
import { CliError, UsageError } from '../cli-error.ts';
import { command } from '../command.ts';
import { consoleAddress } from '../config.ts';
import { type CreateKind, createKinds } from '../create/kinds.ts';
import { make, makeOptions, type Wanted } from '../create/make.ts';
import { follow } from '../wait-for-generation.ts';
import { idsOf } from '../inputs.ts';
import { openInDesktop } from '../open-in-desktop.ts';
import { table } from '../table.ts';
import { doneText, progressText } from '../progress.ts';
import { refuseOneFile, saveOutputs } from '../save-outputs.ts';
import type { Session } from '../session.ts';

const what = 'the generations';
const idUsage = 'ID…|-';

export const list = command({
  usage: '',
  about: 'Lists generations, the newest first.',
  options: {
    status: {
      form: 'STATUS',
      about: 'only these',
      choices: ['queued', 'running', 'succeeded', 'failed', 'canceled'],
    },
    kind: { form: 'KIND', about: 'only these', choices: ['image', 'image_edit', 'video', 'video_extend'] },
    limit: { form: 'N', about: 'how many; 20 when left out' },
  },
  run: async ({ client, output }, _words, values) => {
    const limit = values.limit === undefined ? 20 : countOf(values.limit, 'limit');
    const query = {
      status: values.status as Generation['status'] | undefined,
      kind: values.kind as Generation['kind'] | undefined,
      limit: Math.min(limit, 100),
    };
    const found: Generation[] = [];
    for await (const generation of client.generations.list(query)) {
      found.push(generation);
      if (found.length === limit) break;
    }
    output.result(
      found,
      found.map(({ id }) => id),
      () => table(found.map(rowOf)),
    );
  },
});

export const get = command({
  usage: idUsage,
  about: 'Shows generations as they are now, with fresh links.',
  options: {},
  run: async (session, words) => {
    for (const id of await idsOf(words, what))
      showOne(session, await session.client.generations.retrieve(id));
  },
});

export const wait = command({
  usage: idUsage,
  about: 'Waits until generations are done. The first one that has failed ends it (exit code 3).',
  options: {
    timeout: { form: 'TIME', about: 'how long to wait for each, as 90s or 10m (exit code 7)' },
    output: {
      short: 'o',
      form: 'PATH|-',
      about: 'write the outputs to a file, a folder (with / at its end) or stdout',
    },
  },
  run: async (session, words, values) => {
    const timeoutMs = values.timeout === undefined ? undefined : millisecondsOf(values.timeout, 'timeout');
    const ids = await idsOf(words, what);
    refuseOneFile(ids, values.output);
    for (const id of ids) {
      const done = await follow(session, id, { timeoutMs });
      const files =
        values.output === undefined ? [] : await saveOutputs(session, done.outputs, values.output);
      if (values.output !== '-') showOne(session, done, files);
    }
  },
});

export const watch = command({
  usage: 'ID',
  about: 'Follows a generation: a line for each event, JSON where no terminal reads it.',
  options: {},
  run: async ({ client, output }, words) => {
    const [id = ''] = await idsOf(words, 'the generation');
    for await (const event of client.generations.stream(id)) {
      if (output.isJson) output.json(event);
      else if (event.type === 'progress') output.result(event, [], () => [progressText(event.progress)]);
      else if (event.type === 'done') showOne({ output }, event.generation);
    }
  },
});

export const cancel = command({
  usage: idUsage,
  about: 'Takes generations out of the queue before they are begun; they cost nothing then.',
  options: {},
  run: async (session, words) => {
    for (const id of await idsOf(words, what)) showOne(session, await session.client.generations.cancel(id));
  },
});

export const stop = command({
  usage: idUsage,
  about: 'Ends generations that run; what was made by then is kept. The plan says what is given back.',
  options: {},
  run: async (session, words) => {
    for (const id of await idsOf(words, what)) showOne(session, await session.client.generations.stop(id));
  },
});

export const download = command({
  usage: idUsage,
  about: 'Saves the outputs of generations, each under its own id.',
  options: {
    output: { short: 'o', form: 'PATH', about: 'a file, or a folder (with / at its end); ./ when left out' },
  },
  run: async (session, words, values) => {
    const ids = await idsOf(words, what);
    refuseOneFile(ids, values.output);
    for (const id of ids) {
      const generation = await session.client.generations.retrieve(id);
      const files = await saveOutputs(session, generation.outputs, values.output ?? './');
      session.output.result({ id, files }, files, () => files);
    }
  },
});

export const open = command({
  usage: idUsage,
  about: 'Opens the outputs of generations in the program that the desktop has for them.',
  options: { page: { about: 'the page of the console with all that is known of it' } },
  run: async (session, words, values) => {
    for (const id of await idsOf(words, what)) {
      const { outputs } = await session.client.generations.retrieve(id);
      const places =
        values.page === true
          ? [consoleAddress(session.environment, session.values, `/generations/${id}`)]
          : outputs.map(({ url }) => url);
      for (const place of places) openInDesktop(session, place);
      session.output.result({ id, opened: places }, places, () => places);
    }
  },
});

export const rerun = command({
  usage: idUsage,
  about: 'Makes generations again, as they were asked for, and waits for them.',
  options: {
    same: {
      about:
        'with the seed and settings that were used, so that the same comes out where the model allows it',
    },
    ...makeOptions,
  },
  run: async (session, words, values) => {
    const ids = await idsOf(words, what);
    if (values.same === true && values.count !== undefined && countOf(values.count, 'count') > 1)
      throw new UsageError(
        '--same makes the same again: more than one of it (-n) would be paid for nothing.',
      );
    refuseOneFile(ids, values.output);
    const wanted: Wanted[] = [];
    for (const [i, id] of ids.entries()) {
      const { path, body, repeat } = await session.client.generations.request(id);
      const given = values.same === true ? repeat : body;
      if (given === null) throw new UsageError(`The texts of ${id} were erased.`);
      // An id that is given twice is made twice.
      const keySuffix = ids.indexOf(id) === i ? id : `${id}-again-${i}`;
      wanted.push({ kind: kindOfPath(path), body: given, ...(ids.length > 1 && { keySuffix }) });
    }
    await make(session, values, wanted);
  },
});

function kindOfPath(path: string): CreateKind {
  const found = Object.entries(createKinds).find(([, kind]) => kind.path === path);
  if (found === undefined)
    throw new CliError(`This version knows no ${path}.`, { advice: 'Install a newer one.' });
  return found[0] as CreateKind;
}

function showOne(
  { output }: Pick<Session, 'output'>,
  generation: Generation,
  files: readonly string[] = [],
): void {
  const { id, status, error, outputs } = generation;
  const ids = outputs.length > 0 ? outputs.map((one) => one.id) : [id];
  output.result(files.length > 0 ? { ...generation, files } : generation, ids, () => [
    `${status}  ${doneText(generation)}`,
    ...(error === null ? [] : [`  ${error.code}: ${error.message}`]),
    ...outputs.map((one, i) => `  ${one.id}  ${files[i] ?? one.url}`),
  ]);
}

function rowOf({ id, kind, status, model, cost, created_at: created, error }: Generation): string[] {
  const credits = cost.credits === null ? '' : `${cost.credits}`;
  return [id, kind, status, model, credits, created.slice(0, 19), error?.code ?? ''];
}
