import type { Static, TSchema } from 'typebox';
import { studioProblems } from '../v1/operation.ts';
import { type OperationId, operations, type RequestOf, type ResponseOf } from '../v1/operations.ts';
import { administrationOperations } from './administration.ts';
import type { ConsoleOperation } from './operation.ts';
import { AuditEntryList, ListAuditQuery } from './schemas/audit.ts';
import { Connection } from './schemas/connection.ts';
import {
  DeliveryDetail,
  Delivery,
  DeliveryList,
  DeliveryParams,
  ListDeliveriesQuery,
} from './schemas/delivery.ts';
import {
  GenerationDetail,
  GenerationDetailParams,
  GenerationRowList,
  ListGenerationRowsQuery,
} from './schemas/generation.ts';
import {
  ApiKeyList,
  ApiKeyParams,
  ApiKey,
  CreateApiKeyRequest,
  CreatedApiKey,
  RevokeApiKeyQuery,
  RevokedApiKey,
  UpdateApiKeyRequest,
} from './schemas/key.ts';
import {
  LibraryItemList,
  ListLibraryItemsQuery,
  MovedLibraryItems,
  MoveLibraryItemsRequest,
} from './schemas/library.ts';
import { ModelFactsList } from './schemas/model.ts';
import { Overview, OverviewQuery } from './schemas/overview.ts';
import { EndedSession, SessionList, SessionParams, SignedIn, SignedOut } from './schemas/session.ts';
import { AccountSettings, UpdateAccountSettingsRequest } from './schemas/settings.ts';
import {
  StoredMask,
  StoredMaskParams,
  ListUploadRowsQuery,
  StorageDetail,
  UploadRowList,
} from './schemas/storage.ts';
import {
  CreatedWebhook,
  CreateWebhookRequest,
  DeletedWebhook,
  RecoverDeliveriesRequest,
  RecoveredDeliveries,
  UpdateWebhookRequest,
  Webhook,
  WebhookList,
  WebhookParams,
  WebhookSecret,
} from './schemas/webhook.ts';

/**
 * All operations of the console's own API. Only the session's cookie identifies the caller. A request that changes
 * something must come from the console's origin. The signed-in person can also use the operations of /v1: see
 * `consolePathOf`. `service/src/console-api/routes.ts` checks the session and the origin.
 */
export const consoleOperations = {
  getSignedIn: {
    method: 'GET',
    path: '/console/api/session',
    summary: 'Who is signed in',
    request: {},
    response: { status: 200, schema: SignedIn },
    problems: [],
  },
  signOut: {
    method: 'POST',
    path: '/console/api/sign-out',
    summary: 'End the own session',
    request: {},
    response: { status: 200, schema: SignedOut },
    problems: [],
  },
  listSessions: {
    method: 'GET',
    path: '/console/api/sessions',
    summary: 'List the own sessions, the newest first',
    request: {},
    response: { status: 200, schema: SessionList },
    problems: [],
  },
  endSession: {
    method: 'DELETE',
    path: '/console/api/sessions/{id}',
    summary: 'End a session',
    request: { params: SessionParams },
    response: { status: 200, schema: EndedSession },
    problems: ['not_found'],
  },
  getConnection: {
    method: 'GET',
    path: '/console/api/connection',
    summary: 'Show the studio account and how the connection stands',
    request: {},
    response: { status: 200, schema: Connection },
    problems: [],
  },
  getOverview: {
    method: 'GET',
    path: '/console/api/overview',
    summary: 'Show credits, queues, spend, outcomes and warnings',
    request: { query: OverviewQuery },
    response: { status: 200, schema: Overview },
    problems: [],
  },
  listKeys: {
    method: 'GET',
    path: '/console/api/keys',
    summary: 'List API keys, the newest first: the active ones and the newest that ended, 200 together',
    request: {},
    response: { status: 200, schema: ApiKeyList },
    problems: [],
  },
  createKey: {
    method: 'POST',
    path: '/console/api/keys',
    summary: 'Create an API key',
    request: { body: CreateApiKeyRequest },
    response: { status: 201, schema: CreatedApiKey },
    problems: ['conflict'],
  },
  getKey: {
    method: 'GET',
    path: '/console/api/keys/{id}',
    summary: 'Show an API key',
    request: { params: ApiKeyParams },
    response: { status: 200, schema: ApiKey },
    problems: ['not_found'],
  },
  updateKey: {
    method: 'PATCH',
    path: '/console/api/keys/{id}',
    summary: 'Change the name, budget or rate of an active API key',
    request: { params: ApiKeyParams, body: UpdateApiKeyRequest },
    response: { status: 200, schema: ApiKey },
    problems: ['not_found', 'conflict'],
  },
  revokeKey: {
    method: 'DELETE',
    path: '/console/api/keys/{id}',
    summary: 'Revoke an API key',
    request: { params: ApiKeyParams, query: RevokeApiKeyQuery },
    response: { status: 200, schema: RevokedApiKey },
    problems: ['not_found'],
  },
  listWebhooks: {
    method: 'GET',
    path: '/console/api/webhooks',
    summary: 'List webhook endpoints, the oldest first',
    request: {},
    response: { status: 200, schema: WebhookList },
    problems: [],
  },
  createWebhook: {
    method: 'POST',
    path: '/console/api/webhooks',
    summary: 'Create a webhook endpoint',
    request: { body: CreateWebhookRequest },
    response: { status: 201, schema: CreatedWebhook },
    problems: ['conflict'],
  },
  getWebhook: {
    method: 'GET',
    path: '/console/api/webhooks/{id}',
    summary: 'Show a webhook endpoint',
    request: { params: WebhookParams },
    response: { status: 200, schema: Webhook },
    problems: ['not_found'],
  },
  updateWebhook: {
    method: 'PATCH',
    path: '/console/api/webhooks/{id}',
    summary: 'Change, pause or resume a webhook endpoint',
    request: { params: WebhookParams, body: UpdateWebhookRequest },
    response: { status: 200, schema: Webhook },
    problems: ['not_found'],
  },
  deleteWebhook: {
    method: 'DELETE',
    path: '/console/api/webhooks/{id}',
    summary: 'Delete a webhook endpoint and end what is due to it',
    request: { params: WebhookParams },
    response: { status: 200, schema: DeletedWebhook },
    problems: ['not_found'],
  },
  revealWebhookSecret: {
    method: 'POST',
    path: '/console/api/webhooks/{id}/reveal',
    summary: 'Show the signing secret',
    request: { params: WebhookParams },
    response: { status: 200, schema: WebhookSecret },
    problems: ['not_found'],
  },
  rotateWebhookSecret: {
    method: 'POST',
    path: '/console/api/webhooks/{id}/rotate',
    summary: 'Give the endpoint a new signing secret; the old one signs too for a day',
    request: { params: WebhookParams },
    response: { status: 200, schema: WebhookSecret },
    problems: ['not_found'],
  },
  pingWebhook: {
    method: 'POST',
    path: '/console/api/webhooks/{id}/ping',
    summary: 'Send a test delivery, paused or not',
    request: { params: WebhookParams },
    response: { status: 201, schema: Delivery },
    problems: ['not_found'],
  },
  recoverDeliveries: {
    method: 'POST',
    path: '/console/api/webhooks/{id}/recover',
    summary: 'Send again what failed since a moment',
    request: { params: WebhookParams, body: RecoverDeliveriesRequest },
    response: { status: 200, schema: RecoveredDeliveries },
    problems: ['not_found', 'conflict'],
  },
  listDeliveries: {
    method: 'GET',
    path: '/console/api/deliveries',
    summary: 'List deliveries, the newest first',
    request: { query: ListDeliveriesQuery },
    response: { status: 200, schema: DeliveryList },
    problems: [],
  },
  getDelivery: {
    method: 'GET',
    path: '/console/api/deliveries/{id}',
    summary: 'Show a delivery with every attempt',
    request: { params: DeliveryParams },
    response: { status: 200, schema: DeliveryDetail },
    problems: ['not_found'],
  },
  resendDelivery: {
    method: 'POST',
    path: '/console/api/deliveries/{id}/resend',
    summary: 'Send a delivery once more',
    request: { params: DeliveryParams },
    response: { status: 200, schema: Delivery },
    problems: ['not_found', 'conflict'],
  },
  listGenerationRows: {
    method: 'GET',
    path: '/console/api/generations',
    summary: 'List generations with their keys and prompts, the newest first',
    request: { query: ListGenerationRowsQuery },
    response: { status: 200, schema: GenerationRowList },
    problems: [],
  },
  getGenerationDetail: {
    method: 'GET',
    path: '/console/api/generations/{id}',
    summary: 'Show a generation with its request, event and deliveries',
    request: { params: GenerationDetailParams },
    response: { status: 200, schema: GenerationDetail },
    problems: ['not_found'],
  },
  listLibraryItems: {
    method: 'GET',
    path: '/console/api/library',
    summary: 'List the library with prompts and generations, the newest first',
    request: { query: ListLibraryItemsQuery },
    response: { status: 200, schema: LibraryItemList },
    problems: studioProblems,
  },
  moveLibraryItems: {
    method: 'POST',
    path: '/console/api/library/move',
    summary: 'Put items into a project',
    request: { body: MoveLibraryItemsRequest },
    response: { status: 200, schema: MovedLibraryItems },
    problems: [...studioProblems, 'not_found'],
  },
  listModelFacts: {
    method: 'GET',
    path: '/console/api/model-facts',
    summary: 'List what the models of the plan draw, and how long they take',
    request: {},
    response: { status: 200, schema: ModelFactsList },
    problems: studioProblems,
  },
  getStorageDetail: {
    method: 'GET',
    path: '/console/api/storage',
    summary: 'Show what the account stores',
    request: {},
    response: { status: 200, schema: StorageDetail },
    problems: [],
  },
  listUploadRows: {
    method: 'GET',
    path: '/console/api/uploads',
    summary: 'List uploads with what names them, the newest first',
    request: { query: ListUploadRowsQuery },
    response: { status: 200, schema: UploadRowList },
    problems: [],
  },
  getStoredMask: {
    method: 'GET',
    path: '/console/api/masks/{id}',
    summary: 'Show the mask that an earlier request names',
    request: { params: StoredMaskParams },
    response: { status: 200, schema: StoredMask },
    problems: ['not_found'],
  },
  getSettings: {
    method: 'GET',
    path: '/console/api/settings',
    summary: 'Show what was chosen for the account',
    request: {},
    response: { status: 200, schema: AccountSettings },
    problems: [],
  },
  updateSettings: {
    method: 'PATCH',
    path: '/console/api/settings',
    summary: 'Choose for the account',
    request: { body: UpdateAccountSettingsRequest },
    response: { status: 200, schema: AccountSettings },
    problems: [],
  },
  listAudit: {
    method: 'GET',
    path: '/console/api/audit',
    summary: 'List what was done, the newest first',
    request: { query: ListAuditQuery },
    response: { status: 200, schema: AuditEntryList },
    problems: [],
  },
  ...administrationOperations,
} as const satisfies Record<string, ConsoleOperation>;

export type ConsoleOperationId = keyof typeof consoleOperations;
export const consoleOperationIds = Object.keys(consoleOperations) as ConsoleOperationId[];

type PartOf<
  Id extends ConsoleOperationId,
  Part extends string,
> = (typeof consoleOperations)[Id]['request'] extends { [P in Part]: infer S extends TSchema }
  ? Static<S>
  : Record<string, never>;

/**
 * The parts of a request that a handler receives after validation. Parts that the operation does not have are empty
 * objects.
 */
export type ConsoleRequestOf<Id extends ConsoleOperationId> = {
  params: PartOf<Id, 'params'>;
  query: PartOf<Id, 'query'>;
  body: PartOf<Id, 'body'>;
};

/** The body of the success answer. */
export type ConsoleResponseOf<Id extends ConsoleOperationId> = Static<
  (typeof consoleOperations)[Id]['response']['schema']
>;

/**
 * Returns the path of an operation of /v1 in the console's API. Request and answer are the same, but a session replaces
 * the key.
 */
export function consolePathOf(id: OperationId): string {
  return `/console/api${operations[id].path}`;
}

export type { OperationId, RequestOf, ResponseOf };
