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

/** The maximum length of a manifest. */
export const maxManifestCharacters = 200_000;
/** The maximum size of an imported file. */
export const maxImportBytes = 64 * 1024 * 1024;
const maxMillicredits = 1e12;

/** A problem that prevents offering a model. The message explains it to an operator. */
export const ManifestProblem = Type.Object({
  /** From a closed list, such as `node_missing` or `binding_range`. */
  code: shortText,
  message: longText,
  /** The id of the node in the workflow, and the input of this node. */
  node: Type.Optional(shortText),
  input: Type.Optional(shortText),
  /** The line of the manifest, 1-based. */
  line: Type.Optional(count),
});
export type ManifestProblem = Static<typeof ManifestProblem>;
const problems = Type.Array(ManifestProblem, { maxItems: 500 });
const warnings = Type.Array(longText, { maxItems: 200 });

/** `studio/src/administration/models.ts` decides the state; `studio/sql/functions/pause_reason.sql` the pause. */
export const modelStates = ['offered', 'paused', 'draft', 'retired'] as const;
const versionNumber = Type.Integer({ minimum: 1, maximum: 1e9 });

const managedModel = {
  id,
  name: shortText,
  /** The offered version, or the newest when none is offered. */
  version: versionNumber,
  published_version: nullable(versionNumber),
  /** The newest version when it is not the offered one; `null` for a retired model. */
  draft_version: nullable(versionNumber),
  suites: Type.Array(oneOf(suites), { maxItems: 4 }),
  price: StudioModel.properties.price,
  state: oneOf(modelStates),
  /** Why the model is paused, or why no backend could make a draft now. */
  reason: nullable(longText),
  /** True when an administrator paused the model: it stays paused until an administrator resumes it. */
  paused_by_administrator: Type.Boolean(),
  built_in: Type.Boolean(),
  thumbnail: nullable(link),
  /** The backends on which the model works, available or not. */
  fits_on: Type.Array(id, { maxItems: 1_000 }),
};
export const ManagedModel = Type.Object(managedModel);
export type ManagedModel = Static<typeof ManagedModel>;

export const ManagedModelsAnswer = Type.Object({ models: Type.Array(ManagedModel, { maxItems: 5_000 }) });

const version = {
  version: versionNumber,
  created_at: time,
  /** When it was last offered; `null` means never. */
  published_at: nullable(time),
  price: StudioModel.properties.price,
  suites: Type.Array(oneOf(suites), { maxItems: 4 }),
  /** The thumbnail of its sample. */
  thumbnail: nullable(link),
  /** The time that its sample took, in seconds. */
  sample_seconds: nullable(Type.Number({ minimum: 0 })),
};

export const ManagedModelDetail = Type.Object({
  ...managedModel,
  /** Newest first. */
  versions: Type.Array(Type.Object(version), { maxItems: 1_000 }),
  /**
   * Each route of the offered version, or of the newest, with each backend that the route names. `null`: no backend has
   * this name.
   */
  fits: Type.Array(
    Type.Object({
      route: shortText,
      engine: shortText,
      backend: nullable(id),
      fits: Type.Boolean(),
      problems,
      /** Warnings that do not prevent running there, such as less graphics memory than the route wants. */
      warnings: Type.Optional(warnings),
    }),
    { maxItems: 5_000 },
  ),
});
export type ManagedModelDetail = Static<typeof ManagedModelDetail>;

/** One input that a request sets, and how certain the import is about it. */
const Parameter = Type.Object({
  /** As in the manifest, such as `positive.text`. */
  target: shortText,
  /** The id of the node in the workflow; `null` when there is none. */
  node: nullable(shortText),
  /** The first of `sources`. */
  source: shortText,
  sources: Type.Array(shortText, { maxItems: 20 }),
  sure: oneOf(['sure', 'likely', 'guess'] as const),
  reason: longText,
  /** True when a person wrote or confirmed it. A guess without confirmation is not used. */
  confirmed: Type.Boolean(),
});
export type ManagedParameter = Static<typeof Parameter>;
const parameters = Type.Array(Parameter, { maxItems: 500 });

export const ModelVersion = Type.Object({
  id,
  ...version,
  /** The manifest as it was written. */
  source: Type.String({ maxLength: 2_000_000 }),
  /** Further text files by their names: workflows. */
  files: Type.Record(Type.String(), Type.String()),
  /** The parameters of the manifest, and guesses of an import that nobody has confirmed. */
  parameters,
  /** The warnings of the import that created this version. */
  warnings,
});
export type ModelVersion = Static<typeof ModelVersion>;

/** What would happen if the version were offered now. */
export const ModelCheck = Type.Object({
  id,
  version: versionNumber,
  /** While there is any of these problems, the version cannot be offered. */
  problems,
  /** Why no backend could make it now. The version may still be offered, but is paused until a backend can make it. */
  lacking: Type.Array(longText, { maxItems: 500 }),
  /**
   * What some backends lack or refuse while others can make it, missing files that only some requests need, and
   * backends that do not answer.
   */
  warnings: Type.Optional(Type.Array(longText, { maxItems: 500 })),
});
export type ModelCheck = Static<typeof ModelCheck>;

/** The rest of the path is one parameter, because ids may contain `/`. */
export const ModelParams = Type.Object({ id });
export const ModelVersionParams = Type.Object({ id, version: Type.String({ pattern: '^[1-9][0-9]{0,8}$' }) });

/** The query for importing a workflow, a picture or video that contains one, or a manifest. */
export const ImportModelQuery = closed({
  file_name: Type.String({ minLength: 1, maxLength: 255 }),
  /** The name or label of the backends that should make it; a manifest contains this itself. */
  on: Type.Optional(Type.String({ minLength: 1, maxLength: 63 })),
  /** Default: derived from the file name. */
  id: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
  name: Type.Optional(Type.String({ minLength: 1, maxLength: 200 })),
});

/** The result of an import or an edit: a draft, unless `version` is `null` and `problems` explain why. */
export const ImportedModel = Type.Object({
  id,
  version: nullable(versionNumber),
  /** False when the same version already existed. */
  added: Type.Boolean(),
  suites: Type.Array(oneOf(suites), { maxItems: 4 }),
  price: nullable(StudioModel.properties.price),
  /** The number of nodes in the workflow. */
  nodes: nullable(count),
  /** Problems to fix, on the machine or in the manifest. */
  problems,
  parameters,
  warnings,
  /** The manifest, as far as it was created. */
  source: nullable(Type.String({ maxLength: 2_000_000 })),
});
export type ImportedModel = Static<typeof ImportedModel>;

/** A manifest that was edited by hand. Its other files are those of the version that it is based on. */
export const EditModelRequest = closed({
  base_version: versionNumber,
  source: Type.String({ minLength: 1, maxLength: maxManifestCharacters }),
});

/** Makes a new draft from the newest version, with other sources for some targets. Sets all of them or none. */
export const BindParametersRequest = closed({
  /**
   * The newest version that the client has read; the answer is `conflict` when there is a newer one. Default: the
   * newest.
   */
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
  /** An older version undoes later ones. Default: the newest. */
  version: Type.Optional(versionNumber),
  /** A different base price creates a new version. */
  price_millicredits: Type.Optional(Type.Integer({ minimum: 0, maximum: maxMillicredits })),
});

export const PauseModelRequest = closed({
  /** Shown to operators; users only see that the model is paused. */
  reason: Type.String({ minLength: 1, maxLength: 500 }),
});

export const DiffModelQuery = closed({
  /** Default: the offered version. */
  from: Type.Optional(versionNumber),
  /** Default: the newest. */
  to: Type.Optional(versionNumber),
});

/** One different value: its path, and its values before and after; `null` when there is none. */
export const Difference = Type.Object({ path: longText, before: Type.Unknown(), after: Type.Unknown() });
export type Difference = Static<typeof Difference>;

export const ModelDiff = Type.Object({
  id,
  /** `null` when there was nothing to compare with. */
  from: nullable(versionNumber),
  to: versionNumber,
  differences: Type.Array(Difference, { maxItems: 5_000 }),
});

/** A render that belongs to the installation and shows what a version makes. It continues after the answer. */
export const SampleModelRequest = closed({
  /** When true, paid providers may make it too, which costs money at once. Default false. */
  may_cost: Type.Optional(Type.Boolean()),
  /** Default: the newest. */
  version: Type.Optional(versionNumber),
});

export const sampleStates = ['queued', 'running', 'succeeded', 'failed'] as const;
export const ModelSample = Type.Object({
  id,
  version: versionNumber,
  state: oneOf(sampleStates),
  /** Why it failed or what it waits for, explained for an operator. */
  reason: nullable(longText),
  /** The time it took, and the proposed price for this time. */
  seconds: nullable(Type.Number({ minimum: 0 })),
  proposed_millicredits: nullable(count),
  thumbnail: nullable(link),
});
export type ModelSample = Static<typeof ModelSample>;

export const StopModelSampleRequest = closed({
  /** Stops samples of this version and of versions with the same result. Default: all samples of the model. */
  version: Type.Optional(versionNumber),
});

/** The outputs of stopped samples are discarded. `stopping`: the sample ends as soon as its engine releases it. */
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
  /** Like the warnings of `ModelCheck`, and reasons why no backend can make it now. */
  warnings: Type.Optional(Type.Array(longText, { maxItems: 500 })),
});
