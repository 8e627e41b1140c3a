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
  /** A sentence's worth, for the console's table. */
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

/** What an administrator can choose from. */
export const AdministrationAnswer = Type.Object({
  engines: Type.Array(
    Type.Object({
      name: shortText,
      /** Runs in the workers' own processes: its backends have no address. */
      is_local: Type.Boolean(),
      /** Where it is for everybody; null: each backend has its own. */
      default_url: Type.Union([shortText, Type.Null()]),
      has_full_check: Type.Boolean(),
    }),
    { maxItems: 100 },
  ),
});

/**
 * What administrators do with backends, models, plans and styles: the use cases of an operator's commands. An account that is no
 * administrator gets `forbidden`, and each act is written to the audit in its own transaction. Refusals have `errors` that
 * name the field wherever one is at fault.
 */
export const administrationOperations = {
  getAdministration: of('GET', '', 'Show what can be administered', AdministrationAnswer),

  listBackends: of('GET', '/backends', 'List backends, those of operators first', BackendsAnswer),
  /** Added, it is asked how it is; the answer says what came of it. */
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
  /** May take a minute where a machine names many node packs. */
  checkBackend: {
    ...of('POST', '/backends/:name/check', 'Ask a backend now how it is and what fits there', BackendDetail),
    params: BackendParams,
  },
  /** May take minutes: it runs jobs of its own. `invalid_request` for an engine that has none. */
  fullyCheckBackend: {
    ...of('POST', '/backends/:name/full-check', 'Try a backend step by step', FullCheckAnswer),
    params: BackendParams,
  },
  /** It gets no more work, and is off once what runs there has ended. */
  drainBackend: {
    ...of('POST', '/backends/:name/drain', 'Give a backend no more work', BackendDetail),
    params: BackendParams,
    body: DrainBackendRequest,
  },
  resumeBackend: {
    ...of('POST', '/backends/:name/resume', 'Give a drained backend work again', BackendDetail),
    params: BackendParams,
  },
  /** `conflict` while something runs there, and for one that comes with the product. */
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
  /** Asks the backends now. */
  checkModelVersion: {
    ...of('GET', '/models/:id/versions/:version/check', 'Say what is wrong with a version', ModelCheck),
    params: ModelVersionParams,
  },
  /** Without numbers: what the newest version says that the one on offer does not. */
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
  /** `conflict` where another draft was made since the version that it is based on. */
  bindParameters: {
    ...of('POST', '/models/:id/bind', 'Make a draft with inputs set from other sources', ImportedModel),
    params: ModelParams,
    body: BindParametersRequest,
  },
  /** `conflict` while one of the version is under way. */
  sampleModel: {
    ...of('POST', '/models/:id/sample', 'Render a sample of a version', ModelSample),
    params: ModelParams,
    body: SampleModelRequest,
  },
  /** Of a version; `not_found` where none was ever asked for. */
  getModelSample: {
    ...of('GET', '/models/:id/versions/:version/sample', 'Show the sample of a version', ModelSample),
    params: ModelVersionParams,
  },
  /** `conflict` where none is under way. */
  stopModelSample: {
    ...of('POST', '/models/:id/sample/stop', 'End samples of a model that are under way', StoppedSamples),
    params: ModelParams,
    body: StopModelSampleRequest,
  },
  /** In force everywhere within two seconds. */
  publishModel: {
    ...of('POST', '/models/:id/publish', 'Offer a version of a model, an older one too', PublishedModel),
    params: ModelParams,
    body: PublishModelRequest,
  },
  /** It stays in lists, and new renders of it are refused until it is resumed; what was accepted is made. */
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
  /** Accounts have the new limits at once, and the new allowance from their next renewal on. */
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
