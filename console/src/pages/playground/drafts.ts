import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import { parseJson } from '../../format/json.ts';
import { kindNames, kinds, type RequestBody } from '../../generations/kinds.ts';
import type { MaskStep } from '../../media/mask-step.ts';
import { type FilledForm, readRequest } from '../../model-form/read-request.ts';

// What somebody was about to make, and what they asked for, stays in the browser: by account, so that nobody else who
// signs in there finds it in a form.

const prefix = 'renderkit-create-1:';
const maxPrompts = 50;
const maxBatches = 40;

/** What is kept for an account. Forms are kept as the requests that they make, so that reading them checks them. */
type Kept = {
  kind?: GenerationKind;
  forms: Partial<Record<GenerationKind, { body: RequestBody; strokes: readonly MaskStep[] }>>;
  prompts: string[];
  batches: Batch[];
};

/** Generations that were started together, in their order, and what tells them apart where a grid was run. */
export type Batch = { ids: readonly string[]; labels: readonly string[] };

/** The last form of a kind; undefined where there was none. */
export function readDraft(account: string, kind: GenerationKind): FilledForm | undefined {
  const draft = read(account).forms[kind];
  if (draft === undefined) return undefined;
  const filled = readRequest({ path: kinds[kind].path, body: JSON.stringify(draft.body) });
  return filled && { ...filled, values: { ...filled.values, strokes: draft.strokes } };
}

/** The kind of the last form. */
export function lastKind(account: string): GenerationKind | undefined {
  return read(account).kind;
}

/** Keeps the form of a kind. A painted mask may be larger than a browser keeps: then it alone is lost. */
export function saveDraft(
  account: string,
  kind: GenerationKind,
  body: RequestBody,
  strokes: readonly MaskStep[],
): void {
  const kept = read(account);
  const withDraft = (draft: { body: RequestBody; strokes: readonly MaskStep[] }): Kept => ({
    ...kept,
    kind,
    forms: { ...kept.forms, [kind]: draft },
  });
  const { mask: _, ...unmasked } = body;
  if (!write(account, withDraft({ body, strokes })))
    write(account, withDraft({ body: unmasked, strokes: [] }));
}

/** Forgets the form of a kind. */
export function clearDraft(account: string, kind: GenerationKind): void {
  const kept = read(account);
  const { [kind]: _, ...forms } = kept.forms;
  write(account, { ...kept, forms });
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

function read(account: string): Kept {
  const nothing: Kept = { forms: {}, prompts: [], batches: [] };
  try {
    const value = parseJson(localStorage.getItem(prefix + account) ?? '');
    if (typeof value !== 'object' || value === null) return nothing;
    const { kind, forms, prompts, batches } = value as Partial<Kept>;
    return {
      ...(kind !== undefined && kindNames.includes(kind) && { kind }),
      forms: forms ?? {},
      prompts: prompts ?? [],
      batches: batches ?? [],
    };
  } catch {
    // A browser may forbid it. The page works without.
    return nothing;
  }
}

function write(account: string, kept: Kept): boolean {
  try {
    localStorage.setItem(prefix + account, JSON.stringify(kept));
    return true;
  } catch {
    return false;
  }
}
