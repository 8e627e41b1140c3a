// What a client saw, and nothing else: the evidence on which the invariants are checked.

export type Create = {
  accountIndex: number;
  keyIndex: number;
  idempotencyKey: string;
  /** Echoed in the generation's metadata as `n`, so that a phantom can be traced. */
  number: number;
  /** Ids that 202 answers gave; more than one distinct id is a fault. */
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
  /** Generations whose cancel answered 200. */
  canceled: Set<string>;
  /** Uploads that were answered 201. */
  uploads: { accountIndex: number; id: string }[];
  /** Answers that no fault explains: a status outside the contract's. */
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
