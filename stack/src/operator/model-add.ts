import { constants } from 'node:fs';
import { access, mkdir, open as openFile, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { JsonError, readJson } from '@renderkit/engine-comfyui/json.ts';
import { type ObjectInfo, readObjectInfo } from '@renderkit/engine-comfyui/object-info.ts';
import { askClasses } from '@renderkit/studio/administration/ask-classes.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import {
  type AddedModel,
  addModel,
  addModelFile,
  exportModel,
  findPrice,
  ModelRefused,
} from '@renderkit/studio/administration/models.ts';
import { proposeModel, type ProposedModel } from '@renderkit/studio/administration/propose-model.ts';
import { openBackendSecrets } from '@renderkit/studio/backends/backend-secrets.ts';
import { readWorkerConfig } from '@renderkit/studio/config.ts';
import type { StackConfig } from '../config.ts';
import { StackError } from '../stack-error.ts';
import { type Answer, command, givenPath } from './command.ts';
import type { OperatorDatabases } from './open-databases.ts';
import { flag, millicredits, required, text, type Values } from './option.ts';

const actor = 'operator';
/** Of a model whose time nobody has measured: the least that a generation costs. */
const initialMillicredits = 1_000;
/** A machine that loads its lists anew takes its time. */
const askMs = 120_000;

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
};
type Given = Values<typeof options>;

export const addModelCommand = command({
  words: 'model add',
  about:
    'Makes a model of a ComfyUI workflow (API or UI format, or an image or video that carries one), or adds one from its manifest. It is a draft until it is published. No sample is rendered so far, with or without --no-sample. --object-info: an answer of GET /object_info, where the backend cannot be asked.',
  options,
  run: async ({ open, config }, given) => {
    const file = givenPath(config, given.file);
    await checkReadable(file);
    const databases = await open();
    return (await isManifest(file))
      ? addManifest(databases.studio, file, given, config)
      : addWorkflow(databases, file, given, config);
  },
});

async function addManifest(
  database: Database,
  file: string,
  { id, name, price, publish, out }: Given,
  config: StackConfig,
): Promise<Answer> {
  const added = await addModelFile(database, file, {
    id,
    name,
    priceMillicredits: price,
    actor,
    publish: publish ?? false,
  });
  const { files } = await exportModel(database, added.id);
  const written = out === undefined ? [] : await writeFiles(givenPath(config, out), files);
  return { data: { ...added, problems: [], files: written }, lines: [...written, addedLine(added)] };
}

async function addWorkflow(
  databases: OperatorDatabases,
  file: string,
  given: Given,
  config: StackConfig,
): Promise<Answer> {
  const { studio: database } = databases;
  if (given.on === undefined)
    throw new StackError('model add needs --on BACKEND for a workflow: the backend that is to make it.');
  const id = given.id ?? idOf(file);
  const known = given.price === undefined ? await findPrice(database, id) : undefined;
  const price = known ?? { base_millicredits: given.price ?? initialMillicredits };
  const classesOf = await classSource(given, config, databases);
  await using handle = await openFile(file);
  const { size } = await handle.stat();
  const read = async (position: number, length: number): Promise<Buffer> => {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(length), 0, length, position);
    return buffer.subarray(0, bytesRead);
  };
  const proposed = await proposeModel(
    { sizeBytes: size, read },
    { id, name: given.name ?? nameOf(id), on: given.on, price, classesOf },
  );
  const files = { [`${id.replaceAll('/', '-')}.model.yaml`]: proposed.source, ...proposed.files };
  const written = given.out === undefined ? [] : await writeFiles(givenPath(config, given.out), files);
  // With --out the files are there to be put right.
  if (proposed.problems.length > 0) throw new ModelRefused(proposed.problems);
  const added = await addModel(database, proposed, { actor, publish: given.publish ?? false });
  const { parameters, warnings, nodes } = proposed;
  return {
    data: { ...added, problems: [], price, nodes, parameters, warnings, sample: null, files: written },
    lines: [
      `${path.basename(file)}: ${nodes} nodes.`,
      ...parameters.map(parameterLine),
      ...warnings,
      `Price: ${price.base_millicredits / 1000} credits.`,
      ...written,
      addedLine(added),
    ],
  };
}

/** What is known of classes: by the file that was given, else by the backend. */
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
}

/** Whether a file is a manifest: YAML always is, and JSON that says so. */
async function isManifest(file: string): Promise<boolean> {
  if (/\.ya?ml$/i.test(file)) return true;
  return /\.json$/i.test(file) && /^\s*\{\s*"manifest"\s*:/.test(await readFile(file, 'utf8'));
}

/** Writes files into a folder, which is made where it is missing. Returns their paths. */
export async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<string[]> {
  await mkdir(folder, { recursive: true });
  const written: string[] = [];
  for (const [name, content] of Object.entries(files)) {
    const file = path.join(folder, name);
    await writeFile(file, content);
    written.push(file);
  }
  return written;
}

/** `My Portrait (2).workflow.json` makes the model my-portrait-2. */
function idOf(file: string): string {
  const [stem = ''] = path.basename(file).split('.');
  const id = stem
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return id === '' ? 'workflow' : id;
}

function nameOf(id: string): string {
  return `${id.charAt(0).toUpperCase()}${id.slice(1).replaceAll('-', ' ')}`;
}

function parameterLine({ target, sources, reason, sure }: ProposedModel['parameters'][number]): string {
  return `  ${sources.join(', ').padEnd(18)} ${target.padEnd(32)} ${reason}  ${sure}`;
}

function addedLine({ id, version, added, published }: AddedModel): string {
  const known = added ? '' : ', which was there already';
  return published
    ? `${id} is offered in version ${version}${known}.`
    : `${id} has version ${version}${known}. Offer it: model publish --id ${id}`;
}
