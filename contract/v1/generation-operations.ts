import { jsonBodyBytes } from './limits.ts';
import { liveOperations } from './live-operations.ts';
import { problemsOfEveryOperation, studioProblems, type Operation } from './operation.ts';
import { realAnswers } from './real-answers.ts';
import {
  Generation,
  GenerationList,
  GenerationParams,
  GenerationRequest,
  GetGenerationQuery,
  ListGenerationsQuery,
} from './schemas/generation.ts';

/** Operations on generations that were already created. Rows of the table in operations.ts. */
export const generationOperations = {
  getGeneration: {
    method: 'GET',
    path: '/v1/generations/{id}',
    tag: 'Generations',
    summary: 'Show a generation',
    description: 'With `wait` the answer is held back until the generation has finished or the time is up.',
    scope: 'read',
    idempotent: false,
    request: { params: GenerationParams, query: GetGenerationQuery, bodyLimitBytes: jsonBodyBytes },
    response: { status: 200, schema: Generation },
    problems: [...problemsOfEveryOperation, 'not_found'],
  },
  getGenerationRequest: {
    method: 'GET',
    path: '/v1/generations/{id}/request',
    tag: 'Generations',
    summary: 'Show the request of a generation',
    description:
      'The body as it was sent, the seed that was drawn and the version of the model that made it, and a body that asks for ' +
      'the same again.',
    scope: 'read',
    idempotent: false,
    request: { params: GenerationParams, bodyLimitBytes: jsonBodyBytes },
    response: { status: 200, schema: GenerationRequest },
    problems: [...problemsOfEveryOperation, 'not_found'],
  },
  ...liveOperations,
  listGenerations: {
    method: 'GET',
    path: '/v1/generations',
    tag: 'Generations',
    summary: 'List generations',
    description: 'Everything generated through this API, newest first.',
    scope: 'read',
    idempotent: false,
    request: { query: ListGenerationsQuery, bodyLimitBytes: jsonBodyBytes },
    response: { status: 200, schema: GenerationList },
    problems: problemsOfEveryOperation,
  },
  cancelGeneration: {
    method: 'POST',
    path: '/v1/generations/{id}/cancel',
    tag: 'Generations',
    summary: 'Cancel a generation',
    description: 'Takes a generation out of the queue before it is sent to the studio. Costs nothing then.',
    scope: 'generate',
    idempotent: false,
    request: { params: GenerationParams, bodyLimitBytes: jsonBodyBytes },
    response: { status: 200, schema: Generation, example: realAnswers.canceled },
    problems: [...problemsOfEveryOperation, 'not_found', 'conflict'],
  },
  stopGeneration: {
    method: 'POST',
    path: '/v1/generations/{id}/stop',
    tag: 'Generations',
    summary: 'Stop a generation',
    description:
      'Ends a generation with what is made of it by then; one that waits is canceled. Answers with the state as it is: a ' +
      'running one ends a moment later, and a second stop says the same. What finished by itself, and what an engine cannot stop, is a `conflict`.',
    scope: 'generate',
    idempotent: false,
    request: { params: GenerationParams, bodyLimitBytes: jsonBodyBytes },
    response: { status: 202, schema: Generation },
    problems: [...studioProblems, 'not_found', 'conflict'],
  },
} as const satisfies Record<string, Operation>;
