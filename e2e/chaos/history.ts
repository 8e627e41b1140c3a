// Only what a client saw: the evidence against which `invariants.ts` checks a run. `load.ts` records it.

export type Create = {
  accountIndex: number;
  keyIndex: number;
  idempotencyKey: string;
  /** Repeated in the generation's metadata as `n`, so that an unexpected generation can be traced. */
  number: number;
  /** Ids from 202 answers. More than one distinct id is an error. */
  acceptedIds: string[];
  /** The last definite refusal. */
  refusal?: { status: number; code: string };
  /** Tries that ended without an answer or with 5xx. */
  interruptions: number;
};

export type Observation = { id: string; status: string; at: number };

export type History = {
  creates: Create[];
  observations: Observation[];
  /** Generations whose cancel was answered with 200. */
  canceled: Set<string>;
  /** Uploads that were answered with 201. */
  uploads: { accountIndex: number; id: string }[];
  /** Answers that no injected failure explains: with a status outside the contract. */
  surprises: string[];
  /** How many creates each service accepted, by its address. */
  acceptedAt: Map<string, number>;
};

export function emptyHistory(): History {
  return {
    creates: [],
    observations: [],
    canceled: new Set(),
    uploads: [],
    surprises: [],
    acceptedAt: new Map(),
  };
}
