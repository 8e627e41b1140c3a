import { existsSync } from 'node:fs';
import path from 'node:path';
import type Renderkit from 'renderkit';
import { type Generation, RenderkitError } from 'renderkit';
import { isOfSystem } from '../failure.ts';
import { outputNames, saveOutput } from '../save-outputs.ts';
import type { Journal } from './journal.ts';
import type { Row } from './read-rows.ts';

export type SaveOptions = {
  client: Renderkit;
  journal: Journal;
  /** Folder for the outputs. Nothing is written when left out. */
  out: string | undefined;
  /** Pattern of the file names, with {row}, {slug} and {id}. */
  name: string;
};

export type SavedRow = {
  files: string[];
  /** Why some files are missing. */
  error?: string;
  /** Another run may fetch the missing files. */
  unsaved?: boolean;
};

/** Errors of the whole disk: no later row could be written either. */
const diskIsUnusable = new Set(['ENOSPC', 'EDQUOT', 'EROFS', 'EACCES', 'EPERM']);

/**
 * Writes the outputs of a row. A failed download or write is reported and does not stop the batch: the output is paid
 * and can be fetched later. `makeBatch` in `clients/cli/src/commands/batch.ts` chooses such a row again.
 *
 * @throws an error of the file system that would affect every row
 */
export async function saveRow(
  row: Row,
  done: Generation,
  at: { row: string; attempt: number },
  options: SaveOptions,
): Promise<SavedRow> {
  const { client, journal, out } = options;
  if (out === undefined) return { files: [] };
  const files: string[] = [];
  const errors: unknown[] = [];
  try {
    const names = namesOf(row, done, options);
    // Recorded before the files are written: a run after a crash then writes the same names, and never a name of
    // another row.
    journal.append({ type: 'created', ...at, generation: done.id, files: names });
    for (const [i, output] of done.outputs.entries()) {
      const file = names[i] ?? output.id;
      await saveOutput(client, output, file).then(
        () => files.push(file),
        (error: unknown) => errors.push(error),
      );
    }
  } catch (error) {
    errors.push(error);
  }
  const fatal = errors.find((error) => isFatal(error));
  if (fatal !== undefined) throw fatal;
  if (errors.length === 0) return { files };
  const [first] = errors as [Error];
  const unsaved = errors.some((error) => !RenderkitError.is(error) || error.code !== 'not_found');
  return { files, error: `made, but not saved: ${first.message}`, ...(unsaved && { unsaved }) };
}

/** An error that comes neither from the service nor from the file system is a bug of this program. */
function isFatal(error: unknown): boolean {
  return isOfSystem(error) ? diskIsUnusable.has(error.code) : !RenderkitError.is(error);
}

/**
 * Returns the file names from the pattern of `--name`. Appends the id of the generation when another file has the same
 * name.
 */
function namesOf(row: Row, done: Generation, { journal, out = '', name }: SaveOptions): string[] {
  const prompt = typeof row.request['prompt'] === 'string' ? row.request['prompt'] : row.kind;
  const values: Record<string, string> = {
    row: String(row.line).padStart(4, '0'),
    slug: slugOf(prompt),
    id: done.id,
  };
  const file = name
    .replace(/\{(row|slug|id)\}/g, (_whole, key: string) => values[key] ?? '')
    .replace(/[/\\]/g, '-');
  const { name: stem, ext } = path.parse(file);
  const plain = outputNames(done.outputs, path.join(out, file));
  const own = outputNames(done.outputs, path.join(out, `${stem}-${done.id}${ext}`));
  const given = journal.stateOf(row.id)?.files?.join('\n');
  const kept = [plain, own].find((names) => names.join('\n') === given);
  if (kept !== undefined) return kept;
  return plain.some((one) => journal.hasFile(one) || existsSync(one)) ? own : plain;
}

function slugOf(text: string): string {
  const slug = text
    .toLowerCase()
    .normalize('NFKD')
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '');
  return slug.slice(0, 40) || 'row';
}
