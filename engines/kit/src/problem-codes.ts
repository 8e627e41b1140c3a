/**
 * Everything that can be wrong with a manifest, a workflow or a binding. The list is closed, so that the command line,
 * the console and scripts can act on a code and show its message. `manifests/src/check-manifest.ts` and the engines'
 * `check` report them; `findingsByMachines` in `studio/src/administration/ask-machines.ts` decides which of them
 * prevent publishing. The codes of the HTTP API are in `contract/v1/problem-codes.ts`.
 */
export const problemCodes = [
  'not_a_workflow',
  'no_workflow_in_file',
  'group_node',
  'unsupported_node',
  'node_missing',
  'input_missing',
  'type_mismatch',
  'cycle',
  'out_of_range',
  'file_missing',
  'choice_unknown',
  'no_output',
  'paid_node',
  'binding_missing',
  'binding_unused',
  'binding_unmapped',
  'binding_range',
  'unknown_key',
  'unknown_backend',
  'sample_failed',
  'field_unknown',
  'invalid_yaml',
] as const;

export type ProblemCode = (typeof problemCodes)[number];

/** What an operator has to change before a model can be offered. */
export interface Problem {
  readonly code: ProblemCode;
  /** A sentence for an operator: what is wrong and, if known, what to do. */
  readonly message: string;
  /** Id of the workflow's node in the graph. */
  readonly node?: string;
  /** Input of that node. */
  readonly input?: string;
  /** 1-based line of a manifest. */
  readonly line?: number;
}
