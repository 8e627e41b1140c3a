import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import { parseJson } from '../../format/json.ts';
import { kindNames, kinds, type RequestBody } from '../../generations/kind-labels.ts';
import type { MaskStep } from '../../media/mask-step.ts';
import { type FilledForm, readRequest } from '../../model-form/read-request.ts';
import { withoutMasks } from './painted-masks.ts';

// Unfinished forms and earlier prompts are stored in the browser. They are stored by account, so that another person
// who signs in there does not see them. Each tab also stores its own forms, because two tabs may have a form of the
// same kind.

const prefix = 'renderkit-create-1:';
const maxPrompts = 50;
const maxBatches = 40;
const maxMarks = 500;

/** The stored data of an account. Forms are stored as the requests that they make, so that reading validates them. */
type StoredDrafts = {
  kind?: GenerationKind;
  forms: Partial<Record<GenerationKind, Draft>>;
  prompts: string[];
  batches: Batch[];
  /** Ids of results, newest first. */
  kept: string[];
  discarded: string[];
};

type Draft = { body: RequestBody; strokes: readonly MaskStep[] };

/** Generations that were started together, in order, and their labels in a grid. */
export type Batch = { ids: readonly string[]; labels: readonly string[] };

/** Returns the last form of a kind: this tab's form, else the browser's. `undefined` when there is none. */
export function readDraft(account: string, kind: GenerationKind): FilledForm | undefined {
  const draft = read(account, 'sessionStorage').forms[kind] ?? read(account).forms[kind];
  if (draft === undefined) return undefined;
  const filled = readRequest({ path: kinds[kind].path, body: JSON.stringify(draft.body) });
  return filled && { ...filled, values: { ...filled.values, strokes: draft.strokes } };
}

/** Returns the kind of the last form: this tab's, else the browser's. */
export function lastKind(account: string): GenerationKind | undefined {
  return read(account, 'sessionStorage').kind ?? read(account).kind;
}

/**
 * Stores the form of a kind. If a painted mask is too large for the browser's storage, only the mask is lost. An
 * uploaded mask keeps its id. `use-saved-draft.ts` decides when a form is stored.
 */
export function saveDraft(
  account: string,
  kind: GenerationKind,
  body: RequestBody,
  strokes: readonly MaskStep[],
): void {
  const { mask, ...unmasked } = body;
  const isUpload = typeof mask === 'string' && mask.startsWith('upl_');
  // When an uploaded mask was painted on, the drawing is not stored: both would be too large, and the drawing can be
  // made again.
  const isDrawn = !isUpload && strokes.some(({ kind: step }) => step === 'image');
  const whole = { body: isDrawn ? unmasked : body, strokes };
  const small = { body: isUpload ? body : unmasked, strokes: [] };
  for (const where of ['sessionStorage', 'localStorage'] as const) {
    const kept = read(account, where);
    const withDraft = (draft: Draft): StoredDrafts => ({
      ...kept,
      kind,
      forms: { ...kept.forms, [kind]: draft },
    });
    if (!write(account, withDraft(whole), where)) write(account, withDraft(small), where);
  }
}

/** Returns earlier prompts, newest first. */
export function readPrompts(account: string): readonly string[] {
  return read(account).prompts;
}

/** Stores a prompt that was run, without duplicates. */
export function rememberPrompt(account: string, prompt: string): void {
  if (prompt.trim() === '') return;
  const kept = read(account);
  const prompts = [prompt, ...kept.prompts.filter((one) => one !== prompt)].slice(0, maxPrompts);
  write(account, { ...kept, prompts });
}

/** Returns the batch of a generation. A generation that was started alone is its own batch. */
export function batchOf(account: string, generation: string): Batch {
  const found = read(account).batches.find(({ ids }) => ids.includes(generation));
  return found ?? { ids: [generation], labels: [] };
}

/** Stores which generations were started together. A batch that has grown replaces its earlier state. */
export function rememberBatch(account: string, batch: Batch): void {
  const kept = read(account);
  const others = kept.batches.filter(({ ids: [first] }) => first !== batch.ids[0]);
  write(account, { ...kept, batches: [batch, ...others].slice(0, maxBatches) });
}

/** Returns which results were kept and which were discarded. A generation still lists discarded results. */
export function readMarks(account: string): { kept: readonly string[]; discarded: readonly string[] } {
  const { kept, discarded } = read(account);
  return { kept, discarded };
}

/** Stores the marks of results, or removes them. */
export function rememberMarks(
  account: string,
  mark: 'kept' | 'discarded',
  ids: readonly string[],
  marked = true,
): void {
  const before = read(account);
  const others = before[mark].filter((id) => !ids.includes(id));
  write(account, { ...before, [mark]: (marked ? [...ids, ...others] : others).slice(0, maxMarks) });
}

/** Storage of the whole browser, or of this tab. */
type Where = 'localStorage' | 'sessionStorage';

function read(account: string, where: Where = 'localStorage'): StoredDrafts {
  const nothing: StoredDrafts = { forms: {}, prompts: [], batches: [], kept: [], discarded: [] };
  try {
    const value = parseJson(globalThis[where].getItem(prefix + account) ?? '');
    if (typeof value !== 'object' || value === null) return nothing;
    const { kind, forms, prompts, batches, kept, discarded } = value as Partial<StoredDrafts>;
    return {
      ...(kind !== undefined && kindNames.includes(kind) && { kind }),
      forms: forms ?? {},
      prompts: prompts ?? [],
      batches: batches ?? [],
      kept: kept ?? [],
      discarded: discarded ?? [],
    };
  } catch {
    // A browser may forbid storage. The page works without it.
    return nothing;
  }
}

/**
 * Returns `false` when the browser's storage is full, even after deleting the masks of earlier runs. The masks are then
 * restored.
 */
function write(account: string, kept: StoredDrafts, where: Where = 'localStorage'): boolean {
  const text = JSON.stringify(kept);
  const set = () => setItem(where, prefix + account, text);
  return set() || (where === 'localStorage' && withoutMasks(set));
}

function setItem(where: Where, key: string, text: string): boolean {
  try {
    globalThis[where].setItem(key, text);
    return true;
  } catch {
    return false;
  }
}
