import { maxProjectIdCharacters } from '@renderkit/contract/v1/limits.ts';
import type { FormPart } from '@renderkit/server-kit/http/multipart.ts';
import { within } from '@renderkit/server-kit/work/within.ts';
import { ApiProblem } from '../problems/api-problem.ts';
import { describeUnknown } from '../validation/describe-unknown-field.ts';

export type FormParts = AsyncIterator<FormPart, void>;

export type UploadForm = {
  fileName: string | undefined;
  /** The file's bytes. `finish` reads the parts after them. */
  file: AsyncIterable<Buffer>;
  /** The project, if the form names it before the file. */
  projectId: string | undefined;
  /** Reads the parts after the file. Returns the project, if the form names one. @throws ApiProblem */
  finish: () => Promise<string | undefined>;
};

/** Milliseconds for the next part to begin, and for a project's id to arrive. The file has a separate pace. */
const partTimeoutMs = 20_000;

/**
 * Reads a form up to its file. At most a project may precede the file. Unknown and repeated parts are refused by name.
 * @throws ApiProblem invalid_request
 */
export async function openForm(parts: FormParts): Promise<UploadForm> {
  let projectId: string | undefined;
  for (;;) {
    const part = await inTime(nextPart(parts));
    if (part === undefined) throw invalid('file', 'is required');
    if (part.isFile && part.name === 'file')
      return {
        fileName: part.fileName,
        file: part.content,
        projectId,
        finish: () => readRest(parts, projectId),
      };
    projectId = await inTime(readProject(part, projectId));
  }
}

async function readRest(parts: FormParts, before: string | undefined): Promise<string | undefined> {
  let projectId = before;
  for (;;) {
    const part = await inTime(nextPart(parts));
    if (part === undefined) return before === undefined ? projectId : undefined;
    if (part.isFile && part.name === 'file') throw invalid('file', 'must be sent once');
    projectId = await inTime(readProject(part, projectId));
  }
}

async function nextPart(parts: FormParts): Promise<FormPart | undefined> {
  const next = await parts.next();
  return next.done === true ? undefined : next.value;
}

/** The longest character has four bytes. */
const maxProjectIdBytes = 4 * maxProjectIdCharacters;

/** Reads the project id of a part. @throws ApiProblem where it is another part, or the second project */
async function readProject(part: FormPart, before: string | undefined): Promise<string> {
  const { name } = part;
  if (name === 'file') throw invalid(name, 'must be sent as a file, with a file name');
  if (name !== 'project_id')
    throw invalid(name, describeUnknown(name, { what: 'field', names: ['file', 'project_id'] }));
  if (before !== undefined) throw invalid(name, 'must be sent once');
  if (part.isFile) throw invalid(name, 'must be a string');
  let bytes = Buffer.alloc(0);
  for await (const chunk of part.content) {
    bytes = Buffer.concat([bytes, chunk]);
    if (bytes.length > maxProjectIdBytes) throw tooLong(name);
  }
  const value = bytes.toString('utf8');
  if ([...value].length > maxProjectIdCharacters) throw tooLong(name);
  if (value === '' || value.includes('\0')) throw invalid(name, 'there is no such project');
  return value;
}

function tooLong(field: string): ApiProblem {
  return invalid(field, `must be at most ${maxProjectIdCharacters} characters`);
}

/** Waits for a read; a broken or slow form is not complete. @throws ApiProblem */
async function inTime<T>(work: Promise<T>): Promise<T> {
  try {
    const read = await within(
      work.then((value) => ({ value })),
      partTimeoutMs,
    );
    if (read === undefined) throw new Error('no part came in time');
    return read.value;
  } catch (error) {
    throw error instanceof ApiProblem ? error : brokenForm(error);
  }
}

/** Makes the problem for a broken form, or one whose client disconnected. */
export function brokenForm(cause: unknown): ApiProblem {
  return new ApiProblem('invalid_request', {
    errors: [{ field: 'body', message: 'is not a whole multipart form' }],
    cause,
  });
}

function invalid(field: string, message: string): ApiProblem {
  // A name may be anything; the message about it must be text.
  return new ApiProblem('invalid_request', {
    errors: [{ field: field.toWellFormed().replaceAll('\0', '\u{fffd}'), message }],
  });
}
