import type { ImportedModel } from '@renderkit/contract/studio/administration/models.ts';
import { readerOf } from '@renderkit/engine-comfyui/byte-reader.ts';
import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { AdminActor } from '../audit/admin-audit.ts';
import type { AccessOptions } from '../backends/driver-pool.ts';
import type { MediaStore } from '../storage/open-media.ts';
import { addDraft, type AddedModel, addModel, findPrice } from './add-model.ts';
import { askClasses } from './ask-classes.ts';
import { bindParameters, type ParameterBinding } from './bind-parameters.ts';
import { editSource } from './edit-source.ts';
import { findVersion, presentParameter } from './managed-models.ts';
import { initialMillicredits, isManifest, modelIdOf, modelNameOf } from './model-name.ts';
import { type Findings, type FindingsOf, ModelChanged, ModelMissing, ModelRefused } from './models.ts';
import { proposeModel } from './propose-model.ts';

/** A manifest in JSON is recognised within so many bytes. */
const headBytes = 1_000;

// Makes drafts for administrators over HTTP. If no draft can be made, the answer has everything that is known.

export type ImportOptions = {
  database: Database;
  /** Where thumbnails are stored. */
  media: MediaStore;
  /** How the backend is reached to ask what it has. */
  access: AccessOptions;
  actor: AdminActor;
  findingsOf: FindingsOf;
  signal: AbortSignal;
};

export type FileToImport = {
  name: string;
  bytes: Buffer;
  /** Name or label of the backends that are to make it; a manifest names them itself. */
  on?: string | undefined;
  id?: string | undefined;
  modelName?: string | undefined;
};

/**
 * Makes a draft from a workflow, from a picture or video that contains one, or from a manifest that names no other
 * file. `propose-model.ts` makes the manifest of a workflow; `engines/comfyui/src/detect-parameters.ts` finds its
 * inputs.
 */
export async function importModel(file: FileToImport, options: ImportOptions): Promise<ImportedModel> {
  const id = file.id ?? modelIdOf(file.name);
  return orRefused(id, () =>
    isManifest(file.name, file.bytes.toString('utf8', 0, headBytes))
      ? importManifest(file, options)
      : importWorkflow(id, file, options),
  );
}

async function importManifest({ bytes, id, modelName }: FileToImport, options: ImportOptions) {
  const changes = [
    ...(id === undefined ? [] : [{ path: ['id'], value: id }]),
    ...(modelName === undefined ? [] : [{ path: ['name'], value: modelName }]),
  ];
  const text = bytes.toString('utf8');
  const source = changes.length === 0 ? text : editSource(text, changes);
  return present(await addModel({ source, files: {} }, options.actor, options.media), options);
}

async function importWorkflow(
  id: string,
  { bytes, on, modelName }: FileToImport,
  options: ImportOptions,
): Promise<ImportedModel> {
  const { database, access, actor, signal } = options;
  if (on === undefined)
    throw new ModelRefused([
      { code: 'unknown_backend', message: 'A workflow needs the backend that is to make it.' },
    ]);
  const known = await findPrice(database, id);
  const { model, problems, parameters, nodes, warnings } = await proposeModel(readerOf(bytes), {
    id,
    name: modelName ?? modelNameOf(id),
    on,
    price: known?.price ?? { base_millicredits: initialMillicredits },
    classesOf: (names) => askClasses(database, { backend: on, names, ...access, signal }),
  });
  const added = await addDraft(database, model, actor);
  return { ...draft({ ...added, parameters }, { problems, warnings }, model.source), nodes };
}

/** Makes the next draft from a manifest that was edited by hand. @throws ModelMissing */
export async function editModel(
  { id, version, source }: { id: string; version: number; source: string },
  options: ImportOptions,
): Promise<ImportedModel> {
  const base = await findVersion(options.database, id, version);
  return orRefused(id, async () => {
    const { files } = base;
    const added = await addModel({ source, files }, options.actor, options.media, { base: { ...base, id } });
    return present(added, options);
  });
}

/** Makes the next draft with targets set from other sources. @throws ModelMissing, ModelChanged */
export async function bindModel(
  asked: { id: string; base?: number; bindings: readonly ParameterBinding[] },
  options: ImportOptions,
): Promise<ImportedModel> {
  return orRefused(asked.id, async () => {
    const bound = await bindParameters(options.database, asked, options);
    const { source } = await findVersion(options.database, asked.id, bound.version);
    return draft(bound, bound, source);
  });
}

async function present(added: AddedModel, options: ImportOptions): Promise<ImportedModel> {
  const version = await findVersion(options.database, added.id, added.version);
  return draft(added, await options.findingsOf(version), version.source);
}

function draft(added: AddedModel, { problems, warnings }: Findings, source: string): ImportedModel {
  const { id, version, added: isNew, suites, price, parameters } = added;
  return {
    id,
    version,
    added: isNew,
    suites,
    price,
    nodes: null,
    problems: [...problems],
    parameters: parameters.map(presentParameter),
    warnings: [...warnings],
    source,
  };
}

async function orRefused(id: string, make: () => Promise<ImportedModel>): Promise<ImportedModel> {
  try {
    return await make();
  } catch (error) {
    if (!(error instanceof ModelRefused) || error instanceof ModelMissing || error instanceof ModelChanged)
      throw error;
    const { problems, known } = error;
    return {
      id,
      version: null,
      added: false,
      suites: known.suites,
      price: null,
      nodes: null,
      problems: [...problems],
      parameters: known.parameters.map(presentParameter),
      warnings: [],
      source: null,
    };
  }
}
