import { Type, type Static } from 'typebox';
import { suites } from '../kinds.ts';
import { StudioModel } from '../schemas/catalog.ts';
import {
  closed,
  count,
  id,
  link,
  longText,
  nullable,
  oneOf,
  shortText,
  time,
} from '../schemas/schema-builders.ts';

/** Characters of a manifest. */
export const maxManifestCharacters = 200_000;
/** Bytes of a file that is imported. */
export const maxImportBytes = 64 * 1024 * 1024;
const maxMillicredits = 1e12;

/** What has to be changed before a model can be offered; the message says it to an operator. */
export const ManifestProblem = Type.Object({
  /** Of a closed list: `node_missing`, `binding_range`. */
  code: shortText,
  message: longText,
  /** Id of the workflow's node, and that node's input. */
  node: Type.Optional(shortText),
  input: Type.Optional(shortText),
  /** Of the manifest, from 1. */
  line: Type.Optional(count),
});
export type ManifestProblem = Static<typeof ManifestProblem>;
const problems = Type.Array(ManifestProblem, { maxItems: 500 });
const warnings = Type.Array(longText, { maxItems: 200 });

export const modelStates = ['offered', 'paused', 'draft', 'retired'] as const;
const versionNumber = Type.Integer({ minimum: 1, maximum: 1e9 });

const managedModel = {
  id,
  name: shortText,
  /** On offer, or else the newest. */
  version: versionNumber,
  published_version: nullable(versionNumber),
  /** A newer version, or one that was never on offer. */
  draft_version: nullable(versionNumber),
  suites: Type.Array(oneOf(suites), { maxItems: 4 }),
  price: StudioModel.properties.price,
  state: oneOf(modelStates),
  /** Why it is paused, or why nothing could make a draft now. */
  reason: nullable(longText),
  /** An administrator paused it: it stays so until one resumes it. */
  paused_by_administrator: Type.Boolean(),
  built_in: Type.Boolean(),
  thumbnail: nullable(link),
  /** Backends on which it works, up or not. */
  fits_on: Type.Array(id, { maxItems: 1_000 }),
};
export const ManagedModel = Type.Object(managedModel);
export type ManagedModel = Static<typeof ManagedModel>;

export const ManagedModelsAnswer = Type.Object({ models: Type.Array(ManagedModel, { maxItems: 5_000 }) });

const version = {
  version: versionNumber,
  created_at: time,
  /** When it was last put on offer; null: never. */
  published_at: nullable(time),
  price: StudioModel.properties.price,
  suites: Type.Array(oneOf(suites), { maxItems: 4 }),
  /** Of its sample. */
  thumbnail: nullable(link),
  /** Seconds that its sample took. */
  sample_seconds: nullable(Type.Number({ minimum: 0 })),
};

export const ManagedModelDetail = Type.Object({
  ...managedModel,
  /** Newest first. */
  versions: Type.Array(Type.Object(version), { maxItems: 1_000 }),
  /** Each route of what is on offer, or of the newest version, with each backend that it names; null: none has the name. */
  fits: Type.Array(
    Type.Object({
      route: shortText,
      engine: shortText,
      backend: nullable(id),
      fits: Type.Boolean(),
      problems,
      /** What keeps nothing from running there: a card with less memory than the route wants. */
      warnings: Type.Optional(warnings),
    }),
    { maxItems: 5_000 },
  ),
});
export type ManagedModelDetail = Static<typeof ManagedModelDetail>;

/** One input that a request sets, and how sure the import is of it. */
const Parameter = Type.Object({
  /** As in the manifest: `positive.text`. */
  target: shortText,
  /** Id of the node in the workflow; null where there is none. */
  node: nullable(shortText),
  /** First of the sources. */
  source: shortText,
  sources: Type.Array(shortText, { maxItems: 20 }),
  sure: oneOf(['sure', 'likely', 'guess'] as const),
  reason: longText,
  /** A person wrote it or agreed to it. A guess that nobody has confirmed is not used. */
  confirmed: Type.Boolean(),
});
export type ManagedParameter = Static<typeof Parameter>;
const parameters = Type.Array(Parameter, { maxItems: 500 });

export const ModelVersion = Type.Object({
  id,
  ...version,
  /** The manifest as it was written. */
  source: Type.String({ maxLength: 2_000_000 }),
  /** Texts beside it, by their names: workflows. */
  files: Type.Record(Type.String(), Type.String()),
  /** Those of the manifest, and what an import guessed and nobody has confirmed. */
  parameters,
  /** Of the import that it was made of. */
  warnings,
});
export type ModelVersion = Static<typeof ModelVersion>;

/** What would come of it if a version were put on offer now. */
export const ModelCheck = Type.Object({
  id,
  version: versionNumber,
  /** With any of these it cannot be. */
  problems,
  /** Why nothing could make it for now: it may be offered, and is paused until a backend can. */
  lacking: Type.Array(longText, { maxItems: 500 }),
  /**
   * What single backends lack or do not take while others can make it, missing files that only some requests name, and
   * backends that do not answer.
   */
  warnings: Type.Optional(Type.Array(longText, { maxItems: 500 })),
});
export type ModelCheck = Static<typeof ModelCheck>;

/** The whole path is one parameter: ids may hold `/`. */
export const ModelParams = Type.Object({ id });
export const ModelVersionParams = Type.Object({ id, version: Type.String({ pattern: '^[1-9][0-9]{0,8}$' }) });

/** A workflow, a picture or video that carries one, or a manifest. */
export const ImportModelQuery = closed({
  file_name: Type.String({ minLength: 1, maxLength: 255 }),
  /** Name or label of the backends that are to make it; a manifest says it itself. */
  on: Type.Optional(Type.String({ minLength: 1, maxLength: 63 })),
  /** By the file's name where it is left out. */
  id: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
});

/** What an import or an edit has made: a draft, unless `version` is null and `problems` say why. */
export const ImportedModel = Type.Object({
  id,
  version: nullable(versionNumber),
  /** False: this very version was there already. */
  added: Type.Boolean(),
  suites: Type.Array(oneOf(suites), { maxItems: 4 }),
  price: nullable(StudioModel.properties.price),
  /** Nodes of the workflow. */
  nodes: nullable(count),
  /** What has to be mended, on the machine or in the manifest. */
  problems,
  parameters,
  warnings,
  /** The manifest, as far as there is one. */
  source: nullable(Type.String({ maxLength: 2_000_000 })),
});
export type ImportedModel = Static<typeof ImportedModel>;

/** A manifest that was changed by hand; the files beside it are those of the version that it comes from. */
export const EditModelRequest = closed({
  base_version: versionNumber,
  source: Type.String({ minLength: 1, maxLength: maxManifestCharacters }),
});

/** Makes the next draft of the newest version, with targets set from other sources: all of them or none. */
export const BindParametersRequest = closed({
  /** The newest version as its reader knows it: `conflict` where there is a newer one. Left out: whichever is the newest. */
  base_version: Type.Optional(versionNumber),
  bindings: Type.Array(
    closed({
      target: Type.String({ minLength: 1, maxLength: 200 }),
      source: Type.String({ minLength: 1, maxLength: 200 }),
    }),
    { minItems: 1, maxItems: 100 },
  ),
});

export const PublishModelRequest = closed({
  /** An older one goes back. Left out: the newest. */
  version: Type.Optional(versionNumber),
  /** Another base price makes the next version of that one. */
  price_millicredits: Type.Optional(Type.Integer({ minimum: 0, maximum: maxMillicredits })),
});

export const PauseModelRequest = closed({
  /** For operators; users read that the model is paused. */
  reason: Type.String({ minLength: 1, maxLength: 500 }),
});

export const DiffModelQuery = closed({
  /** The one on offer where it is left out. */
  from: Type.Optional(versionNumber),
  /** The newest where it is left out. */
  to: Type.Optional(versionNumber),
});

/** One value that differs: where it is, and what it was and is; null where there is none. */
export const Difference = Type.Object({ path: longText, before: Type.Unknown(), after: Type.Unknown() });
export type Difference = Static<typeof Difference>;

export const ModelDiff = Type.Object({
  id,
  /** Null: compared with nothing. */
  from: nullable(versionNumber),
  to: versionNumber,
  differences: Type.Array(Difference, { maxItems: 5_000 }),
});

/** A render that belongs to the installation and shows what a version makes. It goes on after the answer. */
export const SampleModelRequest = closed({
  /** Paid providers may make it too: it is spent at once. False where it is left out. */
  may_cost: Type.Optional(Type.Boolean()),
  /** The newest where it is left out. */
  version: Type.Optional(versionNumber),
});

export const sampleStates = ['queued', 'running', 'succeeded', 'failed'] as const;
export const ModelSample = Type.Object({
  id,
  version: versionNumber,
  state: oneOf(sampleStates),
  /** Why it failed, or what it waits for, in an operator's words. */
  reason: nullable(longText),
  /** What it took, and the price that follows. */
  seconds: nullable(Type.Number({ minimum: 0 })),
  proposed_millicredits: nullable(count),
  thumbnail: nullable(link),
});
export type ModelSample = Static<typeof ModelSample>;

export const StopModelSampleRequest = closed({
  /** And those that make the same. Left out: all of the model. */
  version: Type.Optional(versionNumber),
});

/** Nothing that they make is kept. `stopping`: the sample ends as soon as its engine lets go of it. */
export const StoppedSamples = Type.Object({
  id,
  stopped: Type.Array(
    Type.Object({ version: versionNumber, outcome: oneOf(['ended', 'stopping'] as const) }),
    { maxItems: 1_000 },
  ),
});

export const PublishedModel = Type.Object({
  id,
  version: versionNumber,
  /** As those of `ModelCheck`, and what nothing can make for now. */
  warnings: Type.Optional(Type.Array(longText, { maxItems: 500 })),
});
