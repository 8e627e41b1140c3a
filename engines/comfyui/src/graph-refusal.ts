import { EngineFailure, type EngineFailureOptions } from '@renderkit/engine-kit/driver.ts';
import type { BoundInput } from './assemble-graph.ts';
import { isArray, isObject, type Json, textAt, valueAt } from './json.ts';
import { isFileName } from './object-info.ts';

/** One error that ComfyUI's validation reports for an input of a node. */
interface InputError {
  readonly node: string;
  readonly classType: string;
  readonly type: string;
  readonly input: string | undefined;
  readonly received: Json | undefined;
  readonly message: string;
}

type Blame = Pick<EngineFailureOptions, 'blame' | 'code' | 'target'>;

/** Errors of a value itself. Other errors concern the graph or what the machine has. */
const valueErrors = new Set([
  'value_smaller_than_min',
  'value_bigger_than_max',
  'value_not_in_list',
  'invalid_input_type',
  'custom_validation_failed',
]);
const unfit: Blame = { blame: 'pair', code: 'engine_unavailable' };

/**
 * Converts a refused graph into a failure. A value from the request is blamed on the render and named by its target. A
 * missing file that we uploaded is blamed on the backend. Anything else is blamed on this route on this backend: a
 * missing node, a missing model, an inconsistent graph. `run-failure.ts` converts the failure of a job that ran.
 */
export function refusalFailure(
  backend: string,
  answer: Json | undefined,
  bound: readonly BoundInput[],
): EngineFailure {
  const errors = inputErrors(valueAt(answer, 'node_errors'));
  const blamed = errors.map((error) => ({ error, blame: blameOf(error, bound) }));
  // The failure that other requests would meet too comes first: a machine without the model cannot check a value.
  const worst =
    blamed.find(({ blame }) => blame.blame === 'pair') ??
    blamed.find(({ blame }) => blame.blame === 'backend') ??
    blamed[0];
  const said = worst === undefined ? describeAnswer(answer) : describe(worst.error);
  return new EngineFailure(`${backend} refused the graph: ${said}`, {
    ...(worst?.blame ?? unfit),
    sent: 'no',
  });
}

/**
 * Returns whether the answer has errors of nodes. An answer of 200 can have them too: then some outputs were left out.
 */
export function hasNodeErrors(answer: Json | undefined): boolean {
  const errors = valueAt(answer, 'node_errors');
  return isObject(errors) && errors.size > 0;
}

function blameOf(error: InputError, bound: readonly BoundInput[]): Blame {
  if (!valueErrors.has(error.type)) return unfit;
  const by = bound.find(({ node, input }) => node === error.node && input === error.input);
  if (by?.origin === 'media') return { blame: 'backend', code: 'engine_unavailable' };
  if (by?.origin !== 'request' || isFileName(error.received)) return unfit;
  return { blame: 'render', code: 'invalid_request', target: by.target };
}

function inputErrors(nodeErrors: Json | undefined): InputError[] {
  if (!isObject(nodeErrors)) return [];
  return [...nodeErrors].flatMap(([node, value]) => {
    const errors = valueAt(value, 'errors');
    const classType = textAt(value, 'class_type');
    return (isArray(errors) ? errors : []).map((error) => {
      const details = textAt(error, 'details');
      const name = valueAt(error, 'extra_info', 'input_name');
      return {
        node,
        classType,
        type: textAt(error, 'type'),
        input: typeof name === 'string' ? name : undefined,
        received: valueAt(error, 'extra_info', 'received_value'),
        message: [textAt(error, 'message'), details].filter(Boolean).join(': '),
      };
    });
  });
}

function describe({ node, classType, input, message }: InputError): string {
  return `${classType} ${node}${input === undefined ? '' : `, "${input}"`}: ${message}`;
}

function describeAnswer(answer: Json | undefined): string {
  const error = valueAt(answer, 'error');
  if (typeof error === 'string') return error;
  const words = [textAt(error, 'message'), textAt(error, 'details')].filter(Boolean);
  return words.join(': ') || 'it gave no reason.';
}
