import type { Readable } from 'node:stream';
import { maxProjectIdCharacters } from '@renderkit/contract/v1/limits.ts';
import { ApiProblem } from '../problems/api-problem.ts';

/** One part of a multipart form, as the parser hands it over. */
export type FormPart =
  | { type: 'field'; fieldname: string; value: unknown; valueTruncated: boolean }
  | { type: 'file'; fieldname: string; filename: string; file: Readable };

export type FormParts = AsyncIterator<FormPart>;

export type UploadForm = {
  fileName: string;
  /** The file's bytes; what comes after them in the form is read by `finish`. */
  file: Readable;
  /** Where it was named before the file. */
  projectId: string | undefined;
  /** Reads what comes after the file. The project, if it was named there. @throws ApiProblem */
  finish: () => Promise<string | undefined>;
};

/** Milliseconds between two parts, the bytes of the file not counted. */
const partTimeoutMs = 20_000;

/**
 * Reads a form up to its file: at most a project before it. Parts that the form does not have, or has twice, are
 * refused by name. @throws ApiProblem invalid_request
 */
export async function openForm(parts: FormParts): Promise<UploadForm> {
  let projectId: string | undefined;
  for (;;) {
    const part = await nextPart(parts);
    if (part === undefined) throw invalid('file', 'is required');
    if (part.type === 'file' && part.fieldname === 'file')
      return {
        fileName: part.filename,
        file: part.file,
        projectId,
        finish: () => readRest(parts, projectId),
      };
    projectId = projectOf(part, projectId);
  }
}

async function readRest(parts: FormParts, before: string | undefined): Promise<string | undefined> {
  let projectId = before;
  for (;;) {
    const part = await nextPart(parts);
    if (part === undefined) return before === undefined ? projectId : undefined;
    if (part.type === 'file' && part.fieldname === 'file') {
      part.file.resume();
      throw invalid('file', 'must be sent once');
    }
    projectId = projectOf(part, projectId);
  }
}

/** The project that a part names. @throws ApiProblem where it is any other part, or the second of its name */
function projectOf(part: FormPart, before: string | undefined): string {
  const { fieldname: name } = part;
  if (part.type === 'file') part.file.resume();
  if (name === 'file') throw invalid(name, 'must be sent as a file, with a file name');
  if (name !== 'project_id') throw invalid(name, 'is not a known field');
  if (before !== undefined) throw invalid(name, 'must be sent once');
  if (part.type === 'file' || typeof part.value !== 'string') throw invalid(name, 'must be a string');
  if (part.valueTruncated || [...part.value].length > maxProjectIdCharacters)
    throw invalid(name, `must be at most ${maxProjectIdCharacters} characters`);
  if (part.value === '' || part.value.includes('\0') || !part.value.isWellFormed())
    throw invalid(name, 'there is no such project');
  return part.value;
}

async function nextPart(parts: FormParts): Promise<FormPart | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error('no part came in time')), partTimeoutMs);
  });
  try {
    const next = await Promise.race([parts.next(), late]);
    return next.done === true ? undefined : next.value;
  } catch (error) {
    throw brokenForm(error);
  } finally {
    clearTimeout(timer);
  }
}

/** The form is not one, or its sender went away. */
export function brokenForm(cause: unknown): ApiProblem {
  return new ApiProblem('invalid_request', {
    errors: [{ field: 'body', message: 'is not a whole multipart form' }],
    cause,
  });
}

function invalid(field: string, message: string): ApiProblem {
  // A name may be anything; what is told of it must be text.
  return new ApiProblem('invalid_request', {
    errors: [{ field: field.toWellFormed().replaceAll('\0', '\u{fffd}'), message }],
  });
}
