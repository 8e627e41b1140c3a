import { Type, type Static, type TSchema } from 'typebox';
import { administrationOperations } from './administration/operations.ts';
import { ChangesAnswer, ChangesRequest } from './changes.ts';
import type { StudioOperation } from './operation.ts';
import { ProgressAnswer, ProgressRequest } from './progress.ts';
import { Metadata, StudioAccount, StudioBalance, StudioLimits } from './schemas/account.ts';
import { Catalog } from './schemas/catalog.ts';
import {
  AssetAddress,
  AssetsAnswer,
  AssetsLookupAnswer,
  AssetsLookupRequest,
  AssetsQuery,
  FavoriteRequest,
  FrameAnswer,
  FrameRequest,
  MoveAssetsAnswer,
  MoveAssetsRequest,
  ProjectTitle,
  ProjectsAnswer,
  ProjectsQuery,
  StudioAsset,
  StudioProject,
} from './schemas/library.ts';
import {
  TombstoneAnswer,
  LookupAnswer,
  LookupRequest,
  QuotesAnswer,
  QuotesRequest,
  Render,
  SharedQuotesAnswer,
  SharedQuotesRequest,
  StopAnswer,
  SubmitAnswer,
  SubmitRequest,
} from './schemas/render.ts';
import {
  DeletedAnswer,
  MoveUploadRequest,
  StoreUploadAnswer,
  StoreUploadQuery,
  StudioUpload,
  UploadsLookupAnswer,
} from './schemas/upload.ts';
import { StudioStorage } from './storage.ts';

const tokenParam = Type.Object({ token: Type.String({ minLength: 1, maxLength: 200 }) });
const idParam = Type.Object({ id: Type.String({ minLength: 1, maxLength: 200 }) });

/**
 * The studio as the service sees it. Any studio that answers these can take the included one's place. Sign-in is
 * OpenID Connect at the issuer that `getMetadata` names; the account's `id` is the `sub` of its tokens. Administration is
 * optional: `getMetadata` says whether a studio offers it.
 */
export const studioOperations = {
  getMetadata: { method: 'GET', path: '/api/metadata', caller: 'anyone', answer: Metadata },
  getAccount: { method: 'GET', path: '/api/account', caller: 'account', answer: StudioAccount },
  getBalance: { method: 'GET', path: '/api/balance', caller: 'account', answer: StudioBalance },
  getLimits: { method: 'GET', path: '/api/limits', caller: 'account', answer: StudioLimits },
  getStorage: { method: 'GET', path: '/api/storage', caller: 'account', answer: StudioStorage },
  /** Carries an ETag; answers 304 to a matching If-None-Match. */
  getCatalog: { method: 'GET', path: '/api/catalog', caller: 'account', answer: Catalog },
  createQuotes: {
    method: 'POST',
    path: '/api/quotes',
    caller: 'account',
    body: QuotesRequest,
    answer: QuotesAnswer,
  },
  /** The same for several accounts at once. Only where `getMetadata` offers `shared_quotes`. */
  createSharedQuotes: {
    method: 'POST',
    path: '/api/shared-quotes',
    caller: 'client',
    body: SharedQuotesRequest,
    answer: SharedQuotesAnswer,
  },
  submitRender: {
    method: 'PUT',
    path: '/api/renders/:token',
    caller: 'account',
    params: tokenParam,
    body: SubmitRequest,
    answer: SubmitAnswer,
  },
  getRender: {
    method: 'GET',
    path: '/api/renders/:token',
    caller: 'account',
    params: tokenParam,
    answer: Render,
  },
  lookUpRenders: {
    method: 'POST',
    path: '/api/renders/lookup',
    caller: 'account',
    body: LookupRequest,
    answer: LookupAnswer,
  },
  tombstoneRender: {
    method: 'PUT',
    path: '/api/renders/:token/barred',
    caller: 'account',
    params: tokenParam,
    answer: TombstoneAnswer,
  },
  /** An optional part: a studio that has it says so in `getMetadata`. */
  stopRender: {
    method: 'PUT',
    path: '/api/renders/:token/stopped',
    caller: 'account',
    params: tokenParam,
    answer: StopAnswer,
  },
  /** Holds the request up to `wait_seconds` until one of the accounts moves. */
  readChanges: {
    method: 'POST',
    path: '/api/changes',
    caller: 'client',
    body: ChangesRequest,
    answer: ChangesAnswer,
  },
  /** Holds the request up to `wait_seconds` until one of the renders has moved on. Only where `getMetadata` offers `progress`. */
  readProgress: {
    method: 'POST',
    path: '/api/progress',
    caller: 'client',
    body: ProgressRequest,
    answer: ProgressAnswer,
  },
  listProjects: {
    method: 'GET',
    path: '/api/projects',
    caller: 'account',
    query: ProjectsQuery,
    answer: ProjectsAnswer,
  },
  createProject: {
    method: 'POST',
    path: '/api/projects',
    caller: 'account',
    body: ProjectTitle,
    answer: StudioProject,
  },
  getProject: {
    method: 'GET',
    path: '/api/projects/:id',
    caller: 'account',
    params: idParam,
    answer: StudioProject,
  },
  renameProject: {
    method: 'PATCH',
    path: '/api/projects/:id',
    caller: 'account',
    params: idParam,
    body: ProjectTitle,
    answer: StudioProject,
  },
  /** Its items stay in the library. */
  deleteProject: {
    method: 'DELETE',
    path: '/api/projects/:id',
    caller: 'account',
    params: idParam,
    answer: DeletedAnswer,
  },
  listAssets: {
    method: 'GET',
    path: '/api/assets',
    caller: 'account',
    query: AssetsQuery,
    answer: AssetsAnswer,
  },
  /** A saved frame is read as `image` and as `frame`, and changed or deleted as `frame` alone. */
  getAsset: {
    method: 'GET',
    path: '/api/assets/:type/:id',
    caller: 'account',
    params: AssetAddress,
    answer: StudioAsset,
  },
  favoriteAsset: {
    method: 'PATCH',
    path: '/api/assets/:type/:id',
    caller: 'account',
    params: AssetAddress,
    body: FavoriteRequest,
    answer: StudioAsset,
  },
  /** Puts items into a project, all or none. What the account does not have, and a frame that the project has, stays as it is. */
  moveAssets: {
    method: 'POST',
    path: '/api/assets/move',
    caller: 'account',
    body: MoveAssetsRequest,
    answer: MoveAssetsAnswer,
  },
  lookUpAssets: {
    method: 'POST',
    path: '/api/assets/lookup',
    caller: 'account',
    body: AssetsLookupRequest,
    answer: AssetsLookupAnswer,
  },
  deleteAsset: {
    method: 'DELETE',
    path: '/api/assets/:type/:id',
    caller: 'account',
    params: AssetAddress,
    answer: DeletedAnswer,
  },
  /**
   * Takes a frame from a video of the library; the same video and millisecond answer the same link for as long as the
   * video is there and somebody asks for it, and a day at least. `not_found` where the video is missing, or the project.
   * Saved in a project it is an item, and the link is the item's; saved twice in one project it is one item. `storage_full`
   * where a new file does not fit.
   */
  takeFrame: {
    method: 'POST',
    path: '/api/videos/:id/frames',
    caller: 'account',
    params: idParam,
    body: FrameRequest,
    answer: FrameAnswer,
  },
  /** `conflict` where the token was deleted; `invalid_request` where the file was cut short or came too slowly. */
  storeUpload: {
    method: 'PUT',
    path: '/api/uploads/:token',
    caller: 'account',
    params: tokenParam,
    query: StoreUploadQuery,
    bytes: true,
    answer: StoreUploadAnswer,
  },
  getUpload: {
    method: 'GET',
    path: '/api/uploads/:token',
    caller: 'account',
    params: tokenParam,
    answer: StudioUpload,
  },
  lookUpUploads: {
    method: 'POST',
    path: '/api/uploads/lookup',
    caller: 'account',
    body: LookupRequest,
    answer: UploadsLookupAnswer,
  },
  /** For a project that was named after the file. `not_found` where the upload or the account's project is missing. */
  moveUpload: {
    method: 'PUT',
    path: '/api/uploads/:token/project',
    caller: 'account',
    params: tokenParam,
    body: MoveUploadRequest,
    answer: StudioUpload,
  },
  /** Also where there is none: after this the token names nothing. */
  deleteUpload: {
    method: 'DELETE',
    path: '/api/uploads/:token',
    caller: 'account',
    params: tokenParam,
    answer: DeletedAnswer,
  },
  ...administrationOperations,
} as const satisfies Record<string, StudioOperation>;

export type StudioOperationId = keyof typeof studioOperations;
type Part<Operation, Name extends string> =
  Operation extends Record<Name, infer S extends TSchema> ? Static<S> : undefined;
// Worked out once for each operation: left to each use, they cost the type checker most of its time.
type Bodies = { [Id in StudioOperationId]: Part<(typeof studioOperations)[Id], 'body'> };
type Queries = { [Id in StudioOperationId]: Part<(typeof studioOperations)[Id], 'query'> };
type Params = { [Id in StudioOperationId]: Part<(typeof studioOperations)[Id], 'params'> };
type Answers = { [Id in StudioOperationId]: Static<(typeof studioOperations)[Id]['answer']> };
export type StudioBody<Id extends StudioOperationId> = Bodies[Id];
export type StudioQuery<Id extends StudioOperationId> = Queries[Id];
export type StudioParams<Id extends StudioOperationId> = Params[Id];
export type StudioAnswer<Id extends StudioOperationId> = Answers[Id];

/** Seconds for which a quote is honoured at submit. */
export const quoteLifetimeSeconds = 25 * 60 * 60;
