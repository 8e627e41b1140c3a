import type { OperationId } from './operations.ts';

/** Operations that the service answers today. Only these are documented and routed; the others are 404. */
export const servedOperations = [
  'getAccount',
  'getBalance',
  'getLimits',
  'listModels',
  'getModel',
  'listStyles',
  'listSuggestions',
  'listProjects',
  'createProject',
  'getProject',
  'updateProject',
  'deleteProject',
  'listAssets',
  'getImageAsset',
  'updateAsset',
  'deleteAsset',
  'createUpload',
  'getUpload',
  'createImageGeneration',
  'createImageEdit',
  'createVideoGeneration',
  'extendVideo',
  'createFrame',
  'estimate',
  'getGeneration',
  'listGenerations',
  'cancelGeneration',
] as const satisfies readonly OperationId[];

export type ServedOperationId = (typeof servedOperations)[number];
