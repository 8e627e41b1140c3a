import { jsonBodyBytes } from './limits.ts';
import { problemsOfEveryOperation, type Operation } from './operation.ts';
import { GenerationParams } from './schemas/generation.ts';
import {
  EventStream,
  GenerationEventsQuery,
  PreviewBytes,
  PreviewParams,
  PreviewQuery,
  Progress,
} from './schemas/progress.ts';

/** Operations that show the progress of a running generation. Rows of the table in operations.ts. */
export const liveOperations = {
  watchGeneration: {
    method: 'GET',
    path: '/v1/generations/{id}/events',
    tag: 'Generations',
    summary: 'Watch a generation',
    description:
      'A stream of server-sent events: the generation as it is, then its progress, previews and changes as they come, and ' +
      '`done` with the generation as it ended, after which the stream ends. Counts as one request.',
    scope: 'read',
    idempotent: false,
    request: { params: GenerationParams, query: GenerationEventsQuery, bodyLimitBytes: jsonBodyBytes },
    response: { status: 200, schema: EventStream, mediaType: 'text/event-stream' },
    problems: [...problemsOfEveryOperation, 'not_found'],
  },
  getProgress: {
    method: 'GET',
    path: '/v1/generations/{id}/progress',
    tag: 'Generations',
    summary: 'Show the progress of a generation',
    description: 'How far it is just now, for those who do not read the stream.',
    scope: 'read',
    idempotent: false,
    request: { params: GenerationParams, bodyLimitBytes: jsonBodyBytes },
    response: { status: 200, schema: Progress },
    problems: [...problemsOfEveryOperation, 'not_found'],
  },
  getPreview: {
    method: 'GET',
    path: '/v1/generations/{id}/previews/{index}',
    tag: 'Generations',
    summary: 'Show a preview',
    description:
      'How an output looks by now: a JPEG of 384 pixels at most, whose `ETag` changes with it. There is none before the first ' +
      'was made, and none once the generation has ended.',
    scope: 'read',
    idempotent: false,
    request: {
      params: PreviewParams,
      query: PreviewQuery,
      bodyLimitBytes: jsonBodyBytes,
    },
    response: { status: 200, schema: PreviewBytes, mediaType: 'image/jpeg' },
    problems: [...problemsOfEveryOperation, 'not_found'],
  },
} as const satisfies Record<string, Operation>;
