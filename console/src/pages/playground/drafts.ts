import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import { parseJson } from '../../format/json.ts';
import { kindNames, kinds, type RequestBody } from '../../generations/kinds.ts';
import type { MaskStep } from '../../media/mask-step.ts';
import { type FilledForm, readRequest } from '../../model-form/read-request.ts';
import { withoutMasks } from './painted-masks.ts';

// What somebody was about to make, and what they asked for, stays in the browser: by account, so that nobody else who
// signs in there finds it in a form. A tab keeps its forms for itself as well, since two of them may have the same kind.

const prefix = 'renderkit-create-1:';
const maxPrompts = 50;
const maxBatches = 40;
const maxMarks = 500;

/** What is kept for an account. Forms are kept as the requests that they make, so that reading them checks them. */
type StoredDrafts = {
  kind?: GenerationKind;
  forms: Partial<Record<GenerationKind, Draft>>;
  prompts: string[];
  batches: Batch[];
  /** Ids of results, the newest first. */
  kept: string[];
  discarded: string[];
};

type Draft = { body: RequestBody; strokes: readonly MaskStep[] };

/** Generations that were started together, in their order, and what tells them apart where a grid was run. */
export type Batch = { ids: readonly string[]; labels: readonly string[] };

/** The last form of a kind, in this tab where it had one; undefined where there was none. */
export function readDraft(account: string, kind: GenerationKind): FilledForm | undefined {
  const draft = read(account, 'sessionStorage').forms[kind] ?? read(account).forms[kind];
  if (draft === undefined) return undefined;
  const filled = readRequest({ path: kinds[kind].path, body: JSON.stringify(draft.body) });
  return filled && { ...filled, values: { ...filled.values, strokes: draft.strokes } };
}

/** The kind of the last form, in this tab where it had one. */
export function lastKind(account: string): GenerationKind | undefined {
  return read(account, 'sessionStorage').kind ?? read(account).kind;
}

/**
 * Keeps the form of a kind. A painted mask may be larger than a browser keeps: then it alone is lost, and one that is an
 * upload is still named.
 */
export function saveDraft(
  account: string,
  kind: GenerationKind,
  body: RequestBody,
  strokes: readonly MaskStep[],
): void {
  const { mask, ...unmasked } = body;
  const isUpload = typeof mask === 'string' && mask.startsWith('upl_');
  // With the mask of elsewhere its drawing is not kept as well: it is drawn anew, and both would be too much for a browser.
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

/** The prompts that were run, the newest first. */
export function readPrompts(account: string): readonly string[] {
  return read(account).prompts;
}

/** Keeps a prompt that was run, once. */
export function rememberPrompt(account: string, prompt: string): void {
  if (prompt.trim() === '') return;
  const kept = read(account);
  const prompts = [prompt, ...kept.prompts.filter((one) => one !== prompt)].slice(0, maxPrompts);
  write(account, { ...kept, prompts });
}

/** The batch that a generation was started in; alone where it was started alone. */
export function batchOf(account: string, generation: string): Batch {
  const found = read(account).batches.find(({ ids }) => ids.includes(generation));
  return found ?? { ids: [generation], labels: [] };
}

/** Keeps which generations were started together. A batch that has grown takes the place of what it was. */
export function rememberBatch(account: string, batch: Batch): void {
  const kept = read(account);
  const others = kept.batches.filter(({ ids: [first] }) => first !== batch.ids[0]);
  write(account, { ...kept, batches: [batch, ...others].slice(0, maxBatches) });
}

/** Which results were kept, and which were discarded: a generation still names those. */
export function readMarks(account: string): { kept: readonly string[]; discarded: readonly string[] } {
  const { kept, discarded } = read(account);
  return { kept, discarded };
}

/** Keeps that results are marked so, or no longer. */
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

/** Of the whole browser, or of this tab. */
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
    // A browser may forbid it. The page works without.
    return nothing;
  }
}

/** False where the browser keeps no more, even without the masks of earlier runs; these stay then. */
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
