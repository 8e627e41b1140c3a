import { creditsOf } from '@renderkit/contract/studio/credits.ts';
import { constants } from 'node:fs';
import { access, open as openFile, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { JsonError, readJson } from '@renderkit/engine-comfyui/json.ts';
import { type ObjectInfo, readObjectInfo } from '@renderkit/engine-comfyui/object-info.ts';
import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import {
  addDraft,
  type AddedModel,
  addModelFile,
  findPrice,
} from '@renderkit/studio/administration/add-model.ts';
import { askClasses } from '@renderkit/studio/administration/ask-classes.ts';
import { findingsByMachines } from '@renderkit/studio/administration/ask-machines.ts';
import {
  idOfManifest,
  initialMillicredits,
  isManifest,
  modelIdOf,
  modelNameOf,
} from '@renderkit/studio/administration/model-name.ts';
import { type Findings, findVersion, ModelRefused } from '@renderkit/studio/administration/models.ts';
import { proposeModel, type ProposedModel } from '@renderkit/studio/administration/propose-model.ts';
import { openBackendSecrets } from '@renderkit/studio/backends/backend-secrets.ts';
import { readWorkerConfig } from '@renderkit/studio/config.ts';
import { openMedia } from '@renderkit/studio/storage/open-media.ts';
import type { StackConfig } from '../config.ts';
import { StackError } from '../stack-error.ts';
import { type Answer, command, type Context, givenPath, problemLine } from './command.ts';
import { offerAdded } from './offer-added.ts';
import type { OperatorDatabases } from './open-databases.ts';
import { openDrivers } from './open-drivers.ts';
import { duration, flag, millicredits, required, text, type Values } from './option.ts';
import { writeFiles, writeModel } from './write-files.ts';

const actor = 'operator';
/** Milliseconds. A machine that reloads its lists needs this time. */
const askMs = 120_000;
/** How long backends may take to report what they have, in milliseconds. */
const checkMs = 30_000;

const options = {
  file: required(text('FILE')),
  on: text('BACKEND'),
  id: text('ID'),
  name: text('NAME'),
  price: millicredits,
  'object-info': text('FILE'),
  out: text('DIR'),
  publish: flag,
  'no-sample': flag,
  sample: flag,
  within: duration,
};
type Given = Values<typeof options>;

export const addModelCommand = command({
  words: 'model add',
  about:
    'Makes a model of a ComfyUI workflow (API or UI format, or an image or video that carries one), or adds one from its manifest. It is a draft until it is published. A sample is rendered where a backend can: it is the thumbnail, and the price where none is given is a credit for each ten seconds of it. --no-sample: none; --sample: also by paid providers; --within: how long to wait for it. --object-info: an answer of GET /object_info, where the backend cannot be asked.',
  options,
  run: async (context, given) => {
    const file = givenPath(context.config, given.file);
    await checkReadable(file);
    // Only text files are read: an image or a video may contain a workflow and be large.
    const content = /\.(?:json|ya?ml)$/i.test(file) ? await readFile(file, 'utf8') : '';
    const isOne = isManifest(file, content);
    const databases = await context.open();
    try {
      return await (isOne ? addManifest : addWorkflow)(databases, file, given, context);
    } catch (error) {
      if (!(error instanceof ModelRefused)) throw error;
      return refusedAnswer(
        error,
        given.id ?? (isOne ? idOfManifest(content) : modelIdOf(path.basename(file))),
      );
    }
  },
});

/** Nothing was added; the answer still shows what is known about the model. */
function refusedAnswer({ problems, known }: ModelRefused, id: string | null): Answer {
  return {
    data: {
      id,
      version: null,
      added: false,
      published: false,
      price: null,
      sample: null,
      ...known,
      problems,
      warnings: [],
      files: [],
    },
    lines: [...known.parameters.map(parameterLine), ...problems.map(problemLine)],
    failed: true,
  };
}

async function addManifest(
  databases: OperatorDatabases,
  file: string,
  given: Given,
  context: Context,
): Promise<Answer> {
  const { studio: database } = databases;
  const { id, name, price, out } = given;
  const media = await openMedia(database, readWorkerConfig(databases.environments.worker));
  const added = await addModelFile(file, { id, name, priceMillicredits: price }, actor, media);
  const written = out === undefined ? [] : await writeModel(added.id, givenPath(context.config, out), media);
  await using drivers = openDrivers(databases);
  const findingsOf = findingsByMachines(database, { drivers, withinMs: checkMs });
  const { problems, warnings } = await findingsOf(await findVersion(database, added.id, added.version));
  const offered = await offerAdded(databases, added, { ...wishesOf(given), problems }, context);
  return addedAnswer({ ...added, warnings, files: written }, offered, []);
}

async function addWorkflow(
  databases: OperatorDatabases,
  file: string,
  given: Given,
  context: Context,
): Promise<Answer> {
  const { studio: database } = databases;
  if (given.on === undefined)
    throw new ModelRefused([
      { code: 'unknown_backend', message: 'A workflow needs --on BACKEND: the backend that is to make it.' },
    ]);
  const id = given.id ?? modelIdOf(path.basename(file));
  const known = given.price === undefined ? await findPrice(database, id) : undefined;
  const price = known?.price ?? { base_millicredits: given.price ?? initialMillicredits };
  const classesOf = await classSource(given, context.config, databases);
  const proposed = await readWorkflow(file, {
    id,
    name: given.name ?? modelNameOf(id),
    on: given.on,
    price,
    classesOf,
  });
  const { source, files } = proposed.model;
  const named = { [`${id.replaceAll('/', '-')}.model.yaml`]: source, ...files };
  const written =
    given.out === undefined ? [] : await writeFiles(givenPath(context.config, given.out), named);
  const added = await addDraft(database, proposed.model, actor);
  const { problems, warnings } = await findingsOfImport(databases, added, proposed, given);
  const offered = await offerAdded(
    databases,
    added,
    {
      ...wishesOf(given),
      problems,
      prompt: proposed.prompt,
      isPriceOpen: given.price === undefined && known?.isPublished !== true,
    },
    context,
  );
  const { parameters, nodes } = proposed;
  return addedAnswer({ ...added, parameters, nodes, warnings, files: written }, offered, [
    `${path.basename(file)}: ${nodes} nodes.`,
  ]);
}

/** An import has already asked its backend. If a file was given instead, asks the backend now, in case it answers. */
async function findingsOfImport(
  databases: OperatorDatabases,
  { id, version }: AddedModel,
  { problems, warnings }: ProposedModel,
  given: Given,
): Promise<Findings> {
  if (given['object-info'] === undefined) return { problems, warnings };
  await using drivers = openDrivers(databases);
  const findingsOf = findingsByMachines(databases.studio, { drivers, withinMs: checkMs });
  const asked = await findingsOf(await findVersion(databases.studio, id, version));
  const isKnown = ({ code, node, input }: Problem): boolean =>
    problems.some((one) => one.code === code && one.node === node && one.input === input);
  return {
    problems: [...problems, ...asked.problems.filter((one) => !isKnown(one))],
    warnings: [...warnings, ...asked.warnings],
  };
}

/**
 * Returns the user's wishes apart from the model itself. If the backend cannot be asked, it cannot make a sample
 * either.
 */
function wishesOf(given: Given) {
  return {
    publish: given.publish ?? false,
    sample:
      given['no-sample'] === true || (given['object-info'] !== undefined && given.sample !== true)
        ? ('no' as const)
        : given.sample === true
          ? ('paid' as const)
          : ('own' as const),
    withinSeconds: given.within,
  };
}

function addedAnswer(
  added: AddedModel & { nodes?: number; warnings: readonly string[]; files: readonly string[] },
  offered: Awaited<ReturnType<typeof offerAdded>>,
  lines: readonly string[],
): Answer {
  const { said, ...outcome } = offered;
  const { id, version, published, price, problems } = { ...added, ...outcome };
  const known = added.added ? '' : ', which was there already';
  const offer = problems.length > 0 ? 'It has to be mended before it is offered.' : 'Offer it: model publish';
  return {
    data: { ...added, ...outcome },
    lines: [
      ...lines,
      ...added.warnings,
      ...added.parameters.map(parameterLine),
      ...said,
      `Price: ${creditsOf(price.base_millicredits)} credits.`,
      ...added.files,
      ...problems.map(problemLine),
      ...(problems.length === 0 ? [] : guessLines(id, added.parameters)),
      published
        ? `${id} is offered in version ${version}${known}.`
        : `${id} has version ${version}${known}. ${offer}${problems.length > 0 ? '' : ` --id ${id}`}`,
    ],
    failed: problems.length > 0,
  };
}

async function readWorkflow(file: string, wish: Parameters<typeof proposeModel>[1]): Promise<ProposedModel> {
  await using handle = await openFile(file);
  const { size } = await handle.stat();
  const read = async (position: number, length: number): Promise<Buffer> => {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
    return buffer.subarray(0, bytesRead);
  };
  return await proposeModel({ sizeBytes: size, read }, wish);
}

/** Returns a function for the descriptions of node classes: from the given file, else from the backend. */
async function classSource(
  given: Given,
  config: StackConfig,
  databases: OperatorDatabases,
): Promise<(names: ReadonlySet<string>) => Promise<ObjectInfo>> {
  const file = given['object-info'];
  if (file !== undefined) {
    const classes = await readClasses(givenPath(config, file));
    return () => Promise.resolve(classes);
  }
  const { secretKey, egressAllow } = readWorkerConfig(databases.environments.worker);
  const signal = AbortSignal.timeout(askMs);
  return (names) =>
    askClasses(databases.studio, {
      backend: given.on ?? '',
      names,
      secrets: openBackendSecrets(secretKey),
      egressAllow,
      signal,
    });
}

async function readClasses(file: string): Promise<ObjectInfo> {
  await checkReadable(file);
  try {
    return readObjectInfo(readJson(await readFile(file, 'utf8')));
  } catch (error) {
    if (!(error instanceof JsonError)) throw error;
    throw new StackError(`${file} is no answer of GET /object_info: ${error.message}`, { cause: error });
  }
}

async function checkReadable(file: string): Promise<void> {
  await access(file, constants.R_OK).catch((error: NodeJS.ErrnoException) => {
    throw new StackError(`${file} cannot be read: ${error.code}.`, { cause: error });
  });
  if ((await stat(file)).isDirectory())
    throw new StackError(
      `${file} is a folder: name one file, or have a folder of models applied by apply --file.`,
    );
}

function parameterLine({ target, sources, reason, sure }: ProposedModel['parameters'][number]): string {
  return `  ${sources.join(', ').padEnd(18)} ${target.padEnd(32)} ${reason}  ${sure}`;
}

/** Explains how the user can accept a guess. */
function guessLines(id: string, parameters: AddedModel['parameters']): string[] {
  const guess = parameters.find(({ sure }) => sure === 'guess');
  return guess === undefined
    ? []
    : [`To use a guess: model bind --id ${id} --target ${guess.target} --source ${guess.source}`];
}
