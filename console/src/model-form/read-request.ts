import { eachSetting } from '@renderkit/contract/studio/kinds.ts';
import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import type { UploadType } from '@renderkit/contract/v1/schemas/upload.ts';
import { parseJson } from '../format/json.ts';
import { kindNames, kinds } from '../generations/kind-labels.ts';
import { bareReference, type Reference } from '../media/reference.ts';
import { emptyForm, type FormValues, type OptionValue } from './form-values.ts';

/** A form filled from an earlier request. */
export type FilledForm = { kind: GenerationKind; model: string | undefined; values: FormValues };

/**
 * Returns the form of an earlier request: the inverse of `buildRequest`. Unknown fields are left out, and references
 * have only their value. `undefined` when the path is not a create or the body is not a JSON object.
 */
export function readRequest({ path, body }: { path: string; body: string }): FilledForm | undefined {
  const kind = kindNames.find((name) => kinds[name].path === path);
  const sent = objectOf(body);
  if (kind === undefined || sent === undefined) return undefined;
  const text = (name: string) => textOf(sent[name]);
  const number = (name: string) => (typeof sent[name] === 'number' ? sent[name] : undefined);
  const one = (name: string, type: UploadType) => referenceOf(sent[name], type);
  const several = (name: string, type: UploadType) =>
    listOf(sent[name]).flatMap((value) => referenceOf(value, type) ?? []);
  const values: FormValues = {
    ...emptyForm,
    prompt: text('prompt') ?? '',
    project_id: text('project_id'),
    base_model: text('base_model'),
    styles: listOf(sent['styles']).flatMap((value) => textOf(value) ?? []),
    suggestions: listOf(sent['suggestions']).flatMap((value) => textOf(value) ?? []),
    options: optionsOf(sent['options']),
    aspect_ratio: text('aspect_ratio'),
    ...eachSetting(number),
    sampler: text('sampler'),
    reference_images: several('reference_images', 'image'),
    image: one('image', 'image'),
    mode: sent['mode'] === 'inpaint' ? 'inpaint' : 'transform',
    strength: number('strength'),
    mask: text('mask'),
    inpaint_type: sent['inpaint_type'] === 'fill' ? 'fill' : undefined,
    duration: typeof sent['duration'] === 'number' ? String(sent['duration']) : text('duration'),
    start_image: one('start_image', 'image'),
    end_image: one('end_image', 'image'),
    reference_audios: several('reference_audios', 'audio'),
    source_video: one('source_video', 'video'),
    video: one('video_id', 'video'),
    resolution: text('resolution'),
  };
  return { kind, model: text('model'), values };
}

function objectOf(text: string): Record<string, unknown> | undefined {
  const value = parseJson(text);
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

function referenceOf(value: unknown, type: UploadType): Reference | undefined {
  const text = textOf(value);
  return text === undefined ? undefined : bareReference(text, type);
}

function optionsOf(value: unknown): Record<string, OptionValue> {
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, OptionValue] =>
      ['string', 'number', 'boolean'].includes(typeof entry[1]),
    ),
  );
}
