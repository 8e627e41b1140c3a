import { Type, type TSchema } from 'typebox';
import type { StudioOperation } from '../operation.ts';
import { shortText } from '../schemas/schema-builders.ts';
import { AdministrationAuditAnswer, AdministrationAuditQuery } from './audit.ts';
import {
  AddBackendRequest,
  BackendDetail,
  BackendParams,
  BackendsAnswer,
  ChangeBackendRequest,
  DrainBackendRequest,
  FullCheckAnswer,
  ProviderCostsAnswer,
  ProviderCostsQuery,
  RemovedBackend,
  RenderErrorsAnswer,
  RenderErrorsParams,
} from './backends.ts';
import {
  ListPreview,
  ListVersionParams,
  PlansAnswer,
  PlansVersion,
  PreviewPlansRequest,
  PreviewStylesRequest,
  PublishedList,
  PublishPlansRequest,
  PublishStylesRequest,
  StylesAnswer,
  StylesVersion,
} from './lists.ts';
import {
  BindParametersRequest,
  DiffModelQuery,
  EditModelRequest,
  ImportedModel,
  ImportModelQuery,
  ManagedModelDetail,
  ManagedModelsAnswer,
  ModelCheck,
  ModelDiff,
  ModelParams,
  ModelSample,
  ModelVersion,
  ModelVersionParams,
  PauseModelRequest,
  PublishedModel,
  PublishModelRequest,
  SampleModelRequest,
  StoppedSamples,
  StopModelSampleRequest,
} from './models.ts';

type AdministrationOperation = StudioOperation & {
  path: `/api/administration${string}`;
  caller: 'account';
  /** A short text for the table of the console. */
  summary: string;
};

const of = <
  const Method extends StudioOperation['method'],
  const Path extends string,
  Answer extends TSchema,
>(
  method: Method,
  path: Path,
  summary: string,
  answer: Answer,
) => ({ method, path: `/api/administration${path}` as const, caller: 'account' as const, summary, answer });

/** The options of an administrator. */
export const AdministrationAnswer = Type.Object({
  engines: Type.Array(
    Type.Object({
      name: shortText,
      /** True when the engine runs inside the worker processes: its backends have no address. */
      is_local: Type.Boolean(),
      /** The address that all its backends share; `null` when each backend has its own. */
      default_url: Type.Union([shortText, Type.Null()]),
      has_full_check: Type.Boolean(),
    }),
    { maxItems: 100 },
  ),
});

/**
 * The operations of administrators on backends, models, plans and styles: the same use cases as an operator's commands.
 * An account without administrator rights gets `forbidden`. Each change is written to the audit log in its own
 * transaction. A refusal has `errors` that name the field when a field is wrong.
 */
export const administrationOperations = {
  getAdministration: of('GET', '', 'Show what can be administered', AdministrationAnswer),

  listBackends: of('GET', '/backends', 'List backends, those of operators first', BackendsAnswer),
  /** After adding the backend, the studio checks it; the answer contains the result. */
  addBackend: {
    ...of('POST', '/backends', 'Add a backend and ask it how it is', BackendDetail),
    body: AddBackendRequest,
  },
  getBackend: {
    ...of('GET', '/backends/:name', 'Show a backend and what fits there', BackendDetail),
    params: BackendParams,
  },
  changeBackend: {
    ...of('PATCH', '/backends/:name', 'Change a backend', BackendDetail),
    params: BackendParams,
    body: ChangeBackendRequest,
  },
  /** May take a minute when a machine has many node packs. */
  checkBackend: {
    ...of('POST', '/backends/:name/check', 'Ask a backend now how it is and what fits there', BackendDetail),
    params: BackendParams,
  },
  /** May take minutes, because it runs separate jobs. `invalid_request` for an engine without a full check. */
  fullyCheckBackend: {
    ...of('POST', '/backends/:name/full-check', 'Try a backend step by step', FullCheckAnswer),
    params: BackendParams,
  },
  /** The backend gets no more work, and is off when its running jobs have ended. */
  drainBackend: {
    ...of('POST', '/backends/:name/drain', 'Give a backend no more work', BackendDetail),
    params: BackendParams,
    body: DrainBackendRequest,
  },
  resumeBackend: {
    ...of('POST', '/backends/:name/resume', 'Give a drained backend work again', BackendDetail),
    params: BackendParams,
  },
  /** `conflict` while jobs run there, and for a backend that comes with the product. */
  removeBackend: {
    ...of('DELETE', '/backends/:name', 'Remove a backend', RemovedBackend),
    params: BackendParams,
  },
  listProviderCosts: {
    ...of('GET', '/costs', 'List what providers cost by day, beside what users paid', ProviderCostsAnswer),
    query: ProviderCostsQuery,
  },
  listRenderErrors: {
    ...of('GET', '/renders/:token/faults', 'Say what jobs of a render failed by', RenderErrorsAnswer),
    params: RenderErrorsParams,
  },

  listManagedModels: of(
    'GET',
    '/models',
    'List every model, drafts and retired ones too',
    ManagedModelsAnswer,
  ),
  getManagedModel: {
    ...of('GET', '/models/:id', 'Show a model with its versions and where it fits', ManagedModelDetail),
    params: ModelParams,
  },
  getModelVersion: {
    ...of('GET', '/models/:id/versions/:version', 'Show a version of a model as its files', ModelVersion),
    params: ModelVersionParams,
  },
  /** Queries the backends now. */
  checkModelVersion: {
    ...of('GET', '/models/:id/versions/:version/check', 'Say what is wrong with a version', ModelCheck),
    params: ModelVersionParams,
  },
  /** Without version numbers, compares the offered version with the newest one. */
  diffModel: {
    ...of('GET', '/models/:id/diff', 'Compare two versions of a model', ModelDiff),
    params: ModelParams,
    query: DiffModelQuery,
  },
  /** Makes a draft of a file. `too_large` above `maxImportBytes`. */
  importModel: {
    ...of('POST', '/models', 'Make a draft of a workflow, a picture with one, or a manifest', ImportedModel),
    query: ImportModelQuery,
    bytes: true,
  },
  /** Makes the next draft. */
  editModel: {
    ...of('POST', '/models/:id/versions', 'Make a draft of a changed manifest', ImportedModel),
    params: ModelParams,
    body: EditModelRequest,
  },
  /** `conflict` when another draft was made since the base version. */
  bindParameters: {
    ...of('POST', '/models/:id/bind', 'Make a draft with inputs set from other sources', ImportedModel),
    params: ModelParams,
    body: BindParametersRequest,
  },
  /** `conflict` while a sample of the version is running. */
  sampleModel: {
    ...of('POST', '/models/:id/sample', 'Render a sample of a version', ModelSample),
    params: ModelParams,
    body: SampleModelRequest,
  },
  /** The sample of a version; `not_found` when no sample was ever requested. */
  getModelSample: {
    ...of('GET', '/models/:id/versions/:version/sample', 'Show the sample of a version', ModelSample),
    params: ModelVersionParams,
  },
  /** `conflict` when no sample is running. */
  stopModelSample: {
    ...of('POST', '/models/:id/sample/stop', 'End samples of a model that are under way', StoppedSamples),
    params: ModelParams,
    body: StopModelSampleRequest,
  },
  /** Takes effect everywhere within two seconds. */
  publishModel: {
    ...of('POST', '/models/:id/publish', 'Offer a version of a model, an older one too', PublishedModel),
    params: ModelParams,
    body: PublishModelRequest,
  },
  /** The model stays in lists. New renders of it are refused until it is resumed; accepted renders are completed. */
  pauseModel: {
    ...of('POST', '/models/:id/pause', 'Refuse new renders of a model for a while', ManagedModelDetail),
    params: ModelParams,
    body: PauseModelRequest,
  },
  resumeModel: {
    ...of('POST', '/models/:id/resume', 'Take back the pause of a model', ManagedModelDetail),
    params: ModelParams,
  },
  retireModel: {
    ...of('POST', '/models/:id/retire', 'Take a model off the list', ManagedModelDetail),
    params: ModelParams,
  },

  getPlans: of('GET', '/plans', 'Show the plans', PlansAnswer),
  getPlansVersion: {
    ...of('GET', '/plans/versions/:version', 'Show plans that were published once', PlansVersion),
    params: ListVersionParams,
  },
  previewPlans: {
    ...of('POST', '/plans/preview', 'Show what changed plans would change', ListPreview),
    body: PreviewPlansRequest,
    list: true,
  },
  /** The new limits apply at once, the new allowance from the next renewal of each account. */
  publishPlans: {
    ...of('PUT', '/plans', 'Publish plans', PublishedList),
    body: PublishPlansRequest,
    list: true,
  },
  getStyles: of('GET', '/styles', 'Show the styles that everybody can use', StylesAnswer),
  getStylesVersion: {
    ...of('GET', '/styles/versions/:version', 'Show styles that were published once', StylesVersion),
    params: ListVersionParams,
  },
  previewStyles: {
    ...of('POST', '/styles/preview', 'Show what changed styles would change', ListPreview),
    body: PreviewStylesRequest,
    list: true,
  },
  publishStyles: {
    ...of('PUT', '/styles', 'Publish styles', PublishedList),
    body: PublishStylesRequest,
    list: true,
  },

  listAdministrationAudit: {
    ...of('GET', '/audit', 'List what was done, newest first', AdministrationAuditAnswer),
    query: AdministrationAuditQuery,
  },
} as const satisfies Record<string, AdministrationOperation>;

export type AdministrationOperationId = keyof typeof administrationOperations;
export const administrationOperationIds = Object.keys(
  administrationOperations,
) as AdministrationOperationId[];
