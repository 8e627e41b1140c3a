import type { ProblemCode } from '@renderkit/engine-kit/problem-codes.ts';
import { type GraphNode, nameOf } from './graph.ts';
import { isObject, type Json, writeJson } from './json.ts';
import { modelFolder } from './known-nodes.ts';
import { choicesOf, type InputSpec, isFileName, matchChoice, numberOption } from './object-info.ts';

interface Place {
  readonly backend: string;
  readonly downloads: ReadonlyMap<string, string> | undefined;
}

interface Issue {
  readonly code: ProblemCode;
  readonly message: string;
}

/** Returns the problem that ComfyUI would report for a value of an input, or undefined. The text is for an operator. */
export function checkValue(node: GraphNode, spec: InputSpec, value: Json, place: Place): Issue | undefined {
  if (spec.type === 'INT' || spec.type === 'FLOAT') return checkNumber(node, spec, value);
  const choices = choicesOf(spec);
  if (choices !== undefined && !choosesUpload(spec)) return checkChoice(node, spec, value, choices, place);
  return undefined;
}

/** ComfyUI turns texts into numbers where possible, and does not check the step. */
function checkNumber(node: GraphNode, spec: InputSpec, value: Json): Issue | undefined {
  const number = typeof value === 'object' || value === '' ? Number.NaN : Number(value);
  const where = `${nameOf(node)}, "${spec.name}"`;
  if (Number.isNaN(number))
    return {
      code: 'type_mismatch',
      message: `${where} wants a number, and has ${shorten(writeJson(value))}.`,
    };
  const min = numberOption(spec, 'min');
  const max = numberOption(spec, 'max');
  if ((min === undefined || number >= min) && (max === undefined || number <= max)) return undefined;
  const range = `${min ?? 'any number'} to ${max ?? 'any number'}`;
  return {
    code: 'out_of_range',
    message: `${where} is ${shorten(writeJson(value))}; it can be ${range}.`,
  };
}

/** ComfyUI looks for the file of an upload when the node runs. By then our file is there. */
export function choosesUpload({ options }: InputSpec): boolean {
  const uploads = ['image_upload', 'video_upload', 'audio_upload', 'file_upload', 'animated_image_upload'];
  return uploads.some((option) => options.get(option) === true);
}

function checkChoice(
  node: GraphNode,
  spec: InputSpec,
  value: Json,
  choices: readonly Json[],
  { backend, downloads }: Place,
): Issue | undefined {
  // A wrapped list chooses several values.
  if (isObject(value) || matchChoice(choices, value) !== undefined) return undefined;
  const names = choices.filter((choice) => typeof choice === 'string');
  const nearest = findNearest(names, typeof value === 'string' ? value : writeJson(value));
  const hint = nearest === undefined ? '' : ` Nearest: ${nearest}.`;
  if (isFileName(value)) {
    const folder = modelFolder(node.classType, spec.name);
    const where = folder === undefined ? '' : ` in ${folder}`;
    const url = downloads?.get(value);
    const download = url === undefined ? '' : ` Download it from ${url}`;
    return {
      code: 'file_missing',
      message: `${backend} lacks ${value}${where}.${hint}${download}`,
    };
  }
  const message = `${nameOf(node)}, "${spec.name}": ${backend} does not offer ${shorten(writeJson(value))}.${hint}`;
  return { code: 'choice_unknown', message };
}

function shorten(text: string): string {
  return text.length <= 80 ? text : `${text.slice(0, 77)}…`;
}

const maxCompared = 2000;
const maxNameLength = 120;

/** Returns the name that shares most pairs of letters with the wanted one, if it shares at least half of them. */
function findNearest(names: readonly string[], wanted: string): string | undefined {
  const pairs = pairsOf(wanted);
  let best: string | undefined;
  let bestShare = 0.5;
  for (const name of names.slice(0, maxCompared)) {
    const own = pairsOf(name);
    const shared = [...own].filter((pair) => pairs.has(pair)).length;
    const share = (2 * shared) / (own.size + pairs.size);
    if (share > bestShare) [best, bestShare] = [name, share];
  }
  return best;
}

function pairsOf(text: string): Set<string> {
  const plain = text.slice(0, maxNameLength).toLowerCase();
  return new Set(Array.from({ length: Math.max(0, plain.length - 1) }, (_, at) => plain.slice(at, at + 2)));
}
