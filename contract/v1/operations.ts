import type { Static, TSchema } from 'typebox';
import { generationOperations } from './generation-operations.ts';
import { jsonBodyBytes, largeJsonBodyBytes } from './limits.ts';
import { createProblems, problemsOfEveryOperation, studioProblems, type Operation } from './operation.ts';
import { realAnswers } from './real-answers.ts';
import { scopes } from './scopes.ts';
import { Account } from './schemas/account.ts';
import {
  Asset,
  AssetList,
  AssetParams,
  DeletedAsset,
  FavoriteAsset,
  ImageAssetParams,
  ListAssetsQuery,
  UpdateAssetRequest,
} from './schemas/asset.ts';
import { Balance } from './schemas/balance.ts';
import { Estimate, EstimateRequest } from './schemas/estimate.ts';
import { EventList, ListEventsQuery } from './schemas/event.ts';
import { CreateFrameRequest, Frame, FrameParams } from './schemas/frame.ts';
import {
  CreateEditRequest,
  CreateImageRequest,
  CreateVideoRequest,
  ExtendVideoRequest,
} from './schemas/generation-requests.ts';
import { Generation } from './schemas/generation.ts';
import { Key } from './schemas/key.ts';
import { Limits } from './schemas/limits.ts';
import { ListModelsQuery, Model, ModelList, ModelParams } from './schemas/model.ts';
import {
  CreateProjectRequest,
  DeletedProject,
  ListProjectsQuery,
  Project,
  ProjectList,
  ProjectParams,
  UpdateProjectRequest,
} from './schemas/project.ts';
import { Storage } from './schemas/storage.ts';
import { ListStylesQuery, StyleList } from './schemas/style.ts';
import { ListSuggestionsQuery, SuggestionList } from './schemas/suggestion.ts';
import { CreateUploadRequest, DeletedUpload, Upload, UploadForm, UploadParams } from './schemas/upload.ts';

/**
 * The whole HTTP API as one table (docs/api.md §4). Routes, validation, the OpenAPI document and the types of the
 * clients are derived from it. `service/src/http/serve-operations.ts` serves the operations.
 */
export const operations = {
  getAccount: {
    method: 'GET',
    path: '/v1/account',
    tag: 'Account',
    summary: 'Show the account',
    description: 'The studio account behind the key: its plan, its credits, what it may do.',
    scope: 'read',
    idempotent: false,
    request: { bodyLimitBytes: jsonBodyBytes },
    response: { status: 200, schema: Account },
    problems: studioProblems,
  },
  getBalance: {
    method: 'GET',
    path: '/v1/account/balance',
    tag: 'Account',
    summary: 'Show the balance',
    description: 'What can be spent now. Credits that queued generations will cost are already taken off.',
    scope: 'read',
    idempotent: false,
    request: { bodyLimitBytes: jsonBodyBytes },
    response: { status: 200, schema: Balance },
    problems: studioProblems,
  },
  getLimits: {
    method: 'GET',
    path: '/v1/account/limits',
    tag: 'Account',
    summary: 'Show the limits',
    description: 'How many generations may run at once in each lane, how many do, and how many wait.',
    scope: 'read',
    idempotent: false,
    request: { bodyLimitBytes: jsonBodyBytes },
    response: { status: 200, schema: Limits },
    problems: studioProblems,
  },
  getStorage: {
    method: 'GET',
    path: '/v1/account/storage',
    tag: 'Account',
    summary: 'Show the storage',
    description: 'How many bytes the account stores, of how many that it may.',
    scope: 'read',
    idempotent: false,
    request: { bodyLimitBytes: jsonBodyBytes },
    response: { status: 200, schema: Storage },
    problems: studioProblems,
  },
  getKey: {
    method: 'GET',
    path: '/v1/key',
    tag: 'Account',
    summary: 'Show the key',
    description: 'The key that asks: its scopes, its rate, what is left of its budget of the day.',
    scope: scopes,
    idempotent: false,
    request: { bodyLimitBytes: jsonBodyBytes },
    response: { status: 200, schema: Key },
    problems: problemsOfEveryOperation,
  },
  listModels: {
    method: 'GET',
    path: '/v1/models',
    tag: 'Catalog',
    summary: 'List models',
    description: 'The models that the plan includes.',
    scope: 'read',
    idempotent: false,
    request: { query: ListModelsQuery, bodyLimitBytes: jsonBodyBytes },
    response: { status: 200, schema: ModelList },
    problems: studioProblems,
  },
  getModel: {
    method: 'GET',
    path: '/v1/models/{id}',
    tag: 'Catalog',
    summary: 'Show a model',
    description: 'Any model, in the plan or not; `tiers` says which plans include it.',
    scope: 'read',
    idempotent: false,
    request: { params: ModelParams, bodyLimitBytes: jsonBodyBytes },
    response: { status: 200, schema: Model },
    problems: [...studioProblems, 'not_found'],
  },
  listStyles: {
    method: 'GET',
    path: '/v1/styles',
    tag: 'Catalog',
    summary: 'List styles',
    description: "The styles of the platform and the account's own.",
    scope: 'read',
    idempotent: false,
    request: { query: ListStylesQuery, bodyLimitBytes: jsonBodyBytes },
    response: { status: 200, schema: StyleList },
    problems: studioProblems,
  },
  listSuggestions: {
    method: 'GET',
    path: '/v1/suggestions',
    tag: 'Catalog',
    summary: 'List suggestions',
    description: 'Building blocks for prompts, in categories.',
    scope: 'read',
    idempotent: false,
    request: { query: ListSuggestionsQuery, bodyLimitBytes: jsonBodyBytes },
    response: { status: 200, schema: SuggestionList },
    problems: studioProblems,
  },
  listProjects: {
    method: 'GET',
    path: '/v1/projects',
    tag: 'Projects',
    summary: 'List projects',
    description: 'Newest first.',
    scope: 'read',
    idempotent: false,
    request: { query: ListProjectsQuery, bodyLimitBytes: jsonBodyBytes },
    response: { status: 200, schema: ProjectList },
    problems: studioProblems,
  },
  createProject: {
    method: 'POST',
    path: '/v1/projects',
    tag: 'Projects',
    summary: 'Create a project',
    description: 'With a title, or without one.',
    scope: 'projects',
    idempotent: false,
    request: { body: CreateProjectRequest, bodyRequired: false, bodyLimitBytes: jsonBodyBytes },
    response: { status: 201, schema: Project },
    problems: studioProblems,
  },
  getProject: {
    method: 'GET',
    path: '/v1/projects/{id}',
    tag: 'Projects',
    summary: 'Show a project',
    description: 'With the newest item in it.',
    scope: 'read',
    idempotent: false,
    request: { params: ProjectParams, bodyLimitBytes: jsonBodyBytes },
    response: { status: 200, schema: Project },
    problems: [...studioProblems, 'not_found'],
  },
  updateProject: {
    method: 'PATCH',
    path: '/v1/projects/{id}',
    tag: 'Projects',
    summary: 'Rename a project',
    description: 'Gives it another title.',
    scope: 'projects',
    idempotent: false,
    request: {
      params: ProjectParams,
      body: UpdateProjectRequest,
      bodyRequired: true,
      bodyLimitBytes: jsonBodyBytes,
    },
    response: { status: 200, schema: Project },
    problems: [...studioProblems, 'not_found'],
  },
  deleteProject: {
    method: 'DELETE',
    path: '/v1/projects/{id}',
    tag: 'Projects',
    summary: 'Delete a project',
    description: 'It is deleted in the studio too.',
    scope: 'projects',
    idempotent: false,
    request: { params: ProjectParams, bodyLimitBytes: jsonBodyBytes },
    response: { status: 200, schema: DeletedProject },
    problems: [...studioProblems, 'not_found'],
  },
  listAssets: {
    method: 'GET',
    path: '/v1/assets',
    tag: 'Library',
    summary: 'List the library',
    description: 'Everything generated on the account, here or elsewhere, newest first.',
    scope: 'read',
    idempotent: false,
    request: { query: ListAssetsQuery, bodyLimitBytes: jsonBodyBytes },
    response: { status: 200, schema: AssetList },
    problems: studioProblems,
  },
  getImageAsset: {
    method: 'GET',
    path: '/v1/assets/images/{id}',
    tag: 'Library',
    summary: 'Show an image',
    description: 'An image of the library; the id of a video is not found here.',
    scope: 'read',
    idempotent: false,
    request: { params: ImageAssetParams, bodyLimitBytes: jsonBodyBytes },
    response: { status: 200, schema: Asset },
    problems: [...studioProblems, 'not_found'],
  },
  updateAsset: {
    method: 'PATCH',
    path: '/v1/assets/{type}/{id}',
    tag: 'Library',
    summary: 'Mark a favorite',
    description: 'Makes an item a favorite, or no longer one.',
    scope: 'library',
    idempotent: false,
    request: {
      params: AssetParams,
      body: UpdateAssetRequest,
      bodyRequired: true,
      bodyLimitBytes: jsonBodyBytes,
    },
    response: { status: 200, schema: FavoriteAsset },
    problems: [...studioProblems, 'not_found'],
  },
  deleteAsset: {
    method: 'DELETE',
    path: '/v1/assets/{type}/{id}',
    tag: 'Library',
    summary: 'Delete an item',
    description: 'Takes it out of the library. The record of the generation stays.',
    scope: 'library',
    idempotent: false,
    request: { params: AssetParams, bodyLimitBytes: jsonBodyBytes },
    response: { status: 200, schema: DeletedAsset },
    problems: [...studioProblems, 'not_found'],
  },
  createUpload: {
    method: 'POST',
    path: '/v1/uploads',
    tag: 'Uploads',
    summary: 'Upload a file',
    description: 'Sends a file as a form, or has one fetched from an address.',
    scope: 'uploads',
    idempotent: false,
    request: {
      body: CreateUploadRequest,
      form: UploadForm,
      bodyRequired: true,
      bodyLimitBytes: jsonBodyBytes,
    },
    response: { status: 201, schema: Upload },
    problems: [...studioProblems, 'tier_required', 'unprocessable'],
  },
  getUpload: {
    method: 'GET',
    path: '/v1/uploads/{id}',
    tag: 'Uploads',
    summary: 'Show an upload',
    description: 'How far the checks of an uploaded file are.',
    scope: ['read', 'uploads'],
    idempotent: false,
    request: { params: UploadParams, bodyLimitBytes: jsonBodyBytes },
    response: { status: 200, schema: Upload },
    problems: [...problemsOfEveryOperation, 'not_found'],
  },
  deleteUpload: {
    method: 'DELETE',
    path: '/v1/uploads/{id}',
    tag: 'Uploads',
    summary: 'Delete an upload',
    description:
      'Removes the file and gives its bytes back. Refused as a `conflict` while a generation that has not finished names it.',
    scope: 'uploads',
    idempotent: false,
    request: { params: UploadParams, bodyLimitBytes: jsonBodyBytes },
    response: { status: 200, schema: DeletedUpload },
    problems: [...problemsOfEveryOperation, 'not_found', 'conflict'],
  },
  createImageGeneration: {
    method: 'POST',
    path: '/v1/images/generations',
    tag: 'Generations',
    summary: 'Generate images',
    description: 'Makes pictures from text. Answers at once with a queued generation.',
    scope: 'generate',
    idempotent: true,
    request: { body: CreateImageRequest, bodyRequired: true, bodyLimitBytes: jsonBodyBytes },
    response: { status: 202, schema: Generation, example: realAnswers.queuedImage },
    problems: createProblems,
  },
  createImageEdit: {
    method: 'POST',
    path: '/v1/images/edits',
    tag: 'Generations',
    summary: 'Edit an image',
    description:
      'Makes a picture from a picture, or a masked part of it anew. Answers at once with a queued generation.',
    scope: 'generate',
    idempotent: true,
    request: { body: CreateEditRequest, bodyRequired: true, bodyLimitBytes: largeJsonBodyBytes },
    response: { status: 202, schema: Generation, example: realAnswers.queuedEdit },
    problems: createProblems,
  },
  createVideoGeneration: {
    method: 'POST',
    path: '/v1/videos/generations',
    tag: 'Generations',
    summary: 'Generate a video',
    description: 'Makes a video from text or pictures. Answers at once with a queued generation.',
    scope: 'generate',
    idempotent: true,
    request: { body: CreateVideoRequest, bodyRequired: true, bodyLimitBytes: jsonBodyBytes },
    response: { status: 202, schema: Generation, example: realAnswers.queuedVideo },
    problems: createProblems,
  },
  extendVideo: {
    method: 'POST',
    path: '/v1/videos/extend',
    tag: 'Generations',
    summary: 'Extend a video',
    description: 'Continues a finished video. Answers at once with a queued generation.',
    scope: 'generate',
    idempotent: true,
    request: { body: ExtendVideoRequest, bodyRequired: true, bodyLimitBytes: jsonBodyBytes },
    response: { status: 202, schema: Generation, example: realAnswers.queuedExtension },
    problems: createProblems,
  },
  createFrame: {
    method: 'POST',
    path: '/v1/videos/{id}/frames',
    tag: 'Generations',
    summary: 'Take a frame',
    description: 'Takes one frame out of a video. Free.',
    scope: 'generate',
    idempotent: false,
    request: {
      params: FrameParams,
      body: CreateFrameRequest,
      bodyRequired: true,
      bodyLimitBytes: jsonBodyBytes,
    },
    response: { status: 200, schema: Frame },
    problems: [...studioProblems, 'not_found'],
  },
  estimate: {
    method: 'POST',
    path: '/v1/estimate',
    tag: 'Generations',
    summary: 'Estimate a cost',
    description: 'Validates the body of a create and prices it. Makes nothing and costs nothing.',
    scope: 'generate',
    idempotent: false,
    request: { body: EstimateRequest, bodyRequired: true, bodyLimitBytes: largeJsonBodyBytes },
    response: { status: 200, schema: Estimate },
    problems: [...studioProblems, 'tier_required'],
  },
  ...generationOperations,
  listEvents: {
    method: 'GET',
    path: '/v1/events',
    tag: 'Events',
    summary: 'Follow the events',
    description:
      'What happens on the account, in order: a stream that stays open (`text/event-stream`), or with `Accept: ' +
      'application/json` a list, the oldest first. Events are kept for 7 days. A stream that breaks goes on where it was ' +
      'with `Last-Event-ID`; without one it begins with what happens next. `page` and `limit` are for the list alone, which names ' +
      'the newest event that there is in `X-Renderkit-Last-Event-ID`: who keeps a stream open nowhere asks for what came after it.',
    scope: 'read',
    idempotent: false,
    request: { query: ListEventsQuery, bodyLimitBytes: jsonBodyBytes },
    response: {
      status: 200,
      schema: EventList,
      stream:
        'Server-sent events: `event` is the type, `id` the id of the event, `data` the event as webhooks get it. A comment ' +
        'comes every 15 seconds.',
    },
    problems: problemsOfEveryOperation,
  },
} as const satisfies Record<string, Operation>;

export type OperationId = keyof typeof operations;

/** All ids in the order of the table. */
export const operationIds = Object.keys(operations) as OperationId[];

type PartOf<Id extends OperationId, Part extends string> = (typeof operations)[Id]['request'] extends {
  [P in Part]: infer S extends TSchema;
}
  ? Static<S>
  : Record<string, never>;

/**
 * The parts of a request that a handler receives after validation. Parts that the operation does not have are empty
 * objects.
 */
export type RequestOf<Id extends OperationId> = {
  params: PartOf<Id, 'params'>;
  query: PartOf<Id, 'query'>;
  body: PartOf<Id, 'body'>;
};

/** What a handler returns: the body of the success answer. */
export type ResponseOf<Id extends OperationId> = Static<(typeof operations)[Id]['response']['schema']>;
