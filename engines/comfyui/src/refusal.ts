import { EngineFailure, type EngineFailureOptions } from '@renderkit/engine-kit/driver.ts';
import type { BoundInput } from './assemble-graph.ts';
import { isArray, isObject, type Json, textAt, valueAt } from './json.ts';
import { isFileName } from './object-info.ts';

/** One thing that ComfyUI's validation says against an input of a node. */
interface Complaint {
  readonly node: string;
  readonly classType: string;
  readonly type: string;
  readonly input: string | undefined;
  readonly received: Json | undefined;
  readonly words: string;
}

type Fault = Pick<EngineFailureOptions, 'blame' | 'code' | 'target'>;

/** Complaints about a value itself; the others are about the graph, or about what the machine has. */
const valueComplaints = new Set([
  'value_smaller_than_min',
  'value_bigger_than_max',
  'value_not_in_list',
  'invalid_input_type',
  'custom_validation_failed',
]);
const unfit: Fault = { blame: 'pair', code: 'engine_unavailable' };

/**
 * What a refused graph stands for. A value that came from the request is the render's fault, and named by its target. A file
 * that we uploaded and that is gone is the backend's. All else, a missing node, a missing model, a graph that does not hold
 * together, is this route's on this backend.
 */
export function refusalFailure(
  backend: string,
  answer: Json | undefined,
  bound: readonly BoundInput[],
): EngineFailure {
  const complaints = complaintsOf(valueAt(answer, 'node_errors'));
  const faults = complaints.map((complaint) => ({ complaint, fault: faultOf(complaint, bound) }));
  // What no other request would meet decides last: a machine that lacks a model cannot tell whether a value is right.
  const worst =
    faults.find(({ fault }) => fault.blame === 'pair') ??
    faults.find(({ fault }) => fault.blame === 'backend') ??
    faults[0];
  const said = worst === undefined ? errorWords(answer) : wordsOf(worst.complaint);
  return new EngineFailure(`${backend} refused the graph: ${said}`, {
    ...(worst?.fault ?? unfit),
    sent: 'no',
  });
}

/** The errors of nodes, which an answer of 200 can have too: some outputs were left out then. */
export function hasNodeErrors(answer: Json | undefined): boolean {
  const errors = valueAt(answer, 'node_errors');
  return isObject(errors) && errors.size > 0;
}

function faultOf(complaint: Complaint, bound: readonly BoundInput[]): Fault {
  if (!valueComplaints.has(complaint.type)) return unfit;
  const by = bound.find(({ node, input }) => node === complaint.node && input === complaint.input);
  if (by?.origin === 'media') return { blame: 'backend', code: 'engine_unavailable' };
  if (by?.origin !== 'request' || isFileName(complaint.received)) return unfit;
  return { blame: 'render', code: 'invalid_request', target: by.target };
}

function complaintsOf(nodeErrors: Json | undefined): Complaint[] {
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
        words: [textAt(error, 'message'), details].filter(Boolean).join(': '),
      };
    });
  });
}

function wordsOf({ node, classType, input, words }: Complaint): string {
  return `${classType} ${node}${input === undefined ? '' : `, "${input}"`}: ${words}`;
}

function errorWords(answer: Json | undefined): string {
  const error = valueAt(answer, 'error');
  if (typeof error === 'string') return error;
  const words = [textAt(error, 'message'), textAt(error, 'details')].filter(Boolean);
  return words.join(': ') || 'it gave no reason.';
}
