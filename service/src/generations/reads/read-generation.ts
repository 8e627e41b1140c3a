import { type Database, isDatabaseUnavailable } from '@renderkit/server-kit/db/database.ts';
import { createBatcher } from '@renderkit/server-kit/work/batcher.ts';
import { ApiProblem } from '../../problems/api-problem.ts';
import { type GenerationRow } from '../present.ts';
import { readGenerations } from './store.ts';

const batchSize = 256;
const batchesInFlight = 2;

/** Reads generations. Reads in one turn of the event loop share a statement. */
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

  /**
   * Returns an account's generation.
   * @throws ApiProblem `not_found`, the same for a missing generation and for another account's
   */
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

/** Returns an id from a path. @throws ApiProblem `not_found` without a query where the text is not a generation id */
export function checkedId(id: string): string {
  if (!idShape.test(id)) throw noSuchGeneration();
  return id;
}
