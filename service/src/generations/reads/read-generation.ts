import { type Database, isDatabaseUnavailable } from '@renderkit/server-kit/db/database.ts';
import { createBatcher } from '@renderkit/server-kit/work/batcher.ts';
import { ApiProblem } from '../../problems/api-problem.ts';
import { type GenerationRow } from '../present.ts';
import { readGenerations } from './store.ts';

const batchSize = 256;
const batchesInFlight = 2;

/** Reads generations; those asked for in one turn of the event loop share a statement. */
export class GenerationReader {
  readonly #read: (asked: { id: string; accountId: string }) => Promise<GenerationRow | undefined>;

  constructor(database: Database) {
    this.#read = createBatcher<{ id: string; accountId: string }, GenerationRow | undefined>({
      run: (asked) => readGenerations(database, asked),
      maxSize: batchSize,
      maxInFlight: batchesInFlight,
      isHopeless: isDatabaseUnavailable,
    });
  }

  /** A generation of an account. @throws ApiProblem `not_found`, the same for another account's and for none */
  async read(asked: { id: string; accountId: string }): Promise<GenerationRow> {
    const row = await this.#read(asked);
    if (row === undefined) throw noSuchGeneration();
    return row;
  }
}

export function noSuchGeneration(): ApiProblem {
  return new ApiProblem('not_found', { detail: 'There is no such generation.' });
}

const idShape = /^gen_[0-9a-z]{26}$/;

/** An id as a path names it. @throws ApiProblem `not_found`: what is no id of ours is not asked for */
export function checkedId(id: string): string {
  if (!idShape.test(id)) throw noSuchGeneration();
  return id;
}
