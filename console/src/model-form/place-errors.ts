import type { FieldError } from '@renderkit/contract/v1/schemas/problem.ts';
import { emptyForm } from './form-values.ts';

/** Complaints of the service by the form's fields, and those that belong to none of the fields shown. */
export type PlacedErrors = { byField: ReadonlyMap<string, string>; others: readonly FieldError[] };

const none: PlacedErrors = { byField: new Map(), others: [] };

/**
 * Puts issues to the fields they are about. `styles[1]` is said at `styles`, `options.detail` at
 * `options.detail`, `video_id` at `video`.
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
    const said = sentenceAt(error);
    const before = byField.get(field);
    byField.set(field, before === undefined ? said : `${before} ${said}`);
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

/** "The second: there is no such style." The service's words begin in the middle of a sentence. */
function sentenceAt({ field, message }: FieldError): string {
  const place = /\[(\d+)\]$/.exec(field)?.[1];
  const words = place === undefined ? message : `number ${Number(place) + 1} ${message}`;
  const sentence = words.charAt(0).toUpperCase() + words.slice(1);
  return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
