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
 * The interface of the studio for the service. Any studio with these operations can replace the included one. Sign-in
 * is OpenID Connect at the issuer that `getMetadata` returns; the account's `id` is the `sub` of its tokens.
 * Administration is optional: `getMetadata` reports whether a studio offers it. The service calls them through
 * `service/src/studio-client/studio-client.ts`.
 */
export const studioOperations = {
  getMetadata: { method: 'GET', path: '/api/metadata', caller: 'anyone', answer: Metadata },
  getAccount: { method: 'GET', path: '/api/account', caller: 'account', answer: StudioAccount },
  getBalance: { method: 'GET', path: '/api/balance', caller: 'account', answer: StudioBalance },
  getLimits: { method: 'GET', path: '/api/limits', caller: 'account', answer: StudioLimits },
  getStorage: { method: 'GET', path: '/api/storage', caller: 'account', answer: StudioStorage },
  /** The answer has an ETag; a matching If-None-Match gets 304. */
  getCatalog: { method: 'GET', path: '/api/catalog', caller: 'account', answer: Catalog },
  createQuotes: {
    method: 'POST',
    path: '/api/quotes',
    caller: 'account',
    body: QuotesRequest,
    answer: QuotesAnswer,
  },
  /** Like `createQuotes`, for several accounts at once. Available only if `getMetadata` reports `shared_quotes`. */
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
  /** Optional: `getMetadata` reports whether a studio offers it. */
  stopRender: {
    method: 'PUT',
    path: '/api/renders/:token/stopped',
    caller: 'account',
    params: tokenParam,
    answer: StopAnswer,
  },
  /** Waits up to `wait_seconds` until one of the accounts has changes. */
  readChanges: {
    method: 'POST',
    path: '/api/changes',
    caller: 'client',
    body: ChangesRequest,
    answer: ChangesAnswer,
  },
  /**
   * Waits up to `wait_seconds` until one of the renders has made progress. Available only if `getMetadata` reports
   * `progress`.
   */
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
  /** The items of the project stay in the library. */
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
  /** A saved frame can be read as `image` and as `frame`, but changed or deleted only as `frame`. */
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
  /**
   * Moves items into a project, all or none. Skips items that the account does not have, and frames that the project
   * already has.
   */
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
   * Takes a frame from a video of the library. The same video and millisecond return the same link while the video
   * exists and somebody requests the frame, and for at least a day. `not_found` when the video or the project is
   * missing. A frame that is saved in a project becomes an item, and the link is that of the item; saving it twice in
   * one project makes only one item. `storage_full` when a new file does not fit.
   */
  takeFrame: {
    method: 'POST',
    path: '/api/videos/:id/frames',
    caller: 'account',
    params: idParam,
    body: FrameRequest,
    answer: FrameAnswer,
  },
  /** `conflict` when the token was deleted; `invalid_request` when the file was incomplete or arrived too slowly. */
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
  /**
   * For requests that name the project only after the file. `not_found` when the upload or the account's project is
   * missing.
   */
  moveUpload: {
    method: 'PUT',
    path: '/api/uploads/:token/project',
    caller: 'account',
    params: tokenParam,
    body: MoveUploadRequest,
    answer: StudioUpload,
  },
  /** Succeeds also when there is no upload. After this the token refers to nothing. */
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
// Computed once for each operation. If each use computed them, they would take most of the type checker's time.
type Bodies = { [Id in StudioOperationId]: Part<(typeof studioOperations)[Id], 'body'> };
type Queries = { [Id in StudioOperationId]: Part<(typeof studioOperations)[Id], 'query'> };
type Params = { [Id in StudioOperationId]: Part<(typeof studioOperations)[Id], 'params'> };
type Answers = { [Id in StudioOperationId]: Static<(typeof studioOperations)[Id]['answer']> };
export type StudioBody<Id extends StudioOperationId> = Bodies[Id];
export type StudioQuery<Id extends StudioOperationId> = Queries[Id];
export type StudioParams<Id extends StudioOperationId> = Params[Id];
export type StudioAnswer<Id extends StudioOperationId> = Answers[Id];

/**
 * The time for which a submit accepts a quote, in seconds. `studio/src/renders/create-quotes.ts` sets the end;
 * `studio/sql/functions/accept_renders.sql` refuses later submits.
 */
export const quoteLifetimeSeconds = 25 * 60 * 60;
