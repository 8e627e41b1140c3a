import type { FieldError } from '@renderkit/contract/v1/schemas/problem.ts';
import { emptyForm } from './form-values.ts';

/** Errors of the service by field of the form, and errors without a field. */
export type PlacedErrors = { byField: ReadonlyMap<string, string>; others: readonly FieldError[] };

const none: PlacedErrors = { byField: new Map(), others: [] };

/**
 * Assigns errors to the fields of the form: `styles[1]` to `styles`, `options.detail` to `options.detail`, `video_id`
 * to `video`.
 */
export function placeErrors(errors: readonly FieldError[]): PlacedErrors {
  if (errors.length === 0) return none;
  const byField = new Map<string, string>();
  const others: FieldError[] = [];
  for (const error of errors) {
    const field = fieldOf(error.field);
    if (field === undefined) {
      others.push(error);
      continue;
    }
    const sentence = sentenceOf(error);
    const before = byField.get(field);
    byField.set(field, before === undefined ? sentence : `${before} ${sentence}`);
  }
  return { byField, others };
}

function fieldOf(path: string): string | undefined {
  const [, name = '', rest = ''] = /^([a-z_]+)(.*)$/.exec(path) ?? [];
  if (name === 'model') return 'model';
  if (name === 'video_id') return 'video';
  if (name === 'options') return rest.startsWith('.') ? path : undefined;
  return Object.hasOwn(emptyForm, name) ? name : undefined;
}

/**
 * Returns a message with the label of its field, for a place without a field: `Image: there is no such item in the
 * library.`
 */
export function labeledSentence(error: FieldError): string {
  const path = fieldOf(error.field) ?? error.field;
  const label = path.replace(/^options\./, '').replaceAll('_', ' ');
  return label === '' ? sentenceOf(error) : `${capitalized(label)}: ${textOf(error)}`;
}

function sentenceOf(error: FieldError): string {
  return capitalized(textOf(error));
}

/**
 * Returns a message as a sentence end: `number 2 is a style for videos.` The service's messages begin in the middle of
 * a sentence. Messages about the fields of a model are in `contract/studio/issues.ts`.
 */
function textOf({ field, message }: FieldError): string {
  const index = /\[(\d+)\]$/.exec(field)?.[1];
  const text = index === undefined ? message : `number ${Number(index) + 1} ${message}`;
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);
