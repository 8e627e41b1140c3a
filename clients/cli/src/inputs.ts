import { existsSync } from 'node:fs';
import { text as textOf } from 'node:stream/consumers';
import type { Output } from 'renderkit';
import { fromPath } from 'renderkit/node';
import { UsageError } from './cli-error.ts';
import type { Session } from './session.ts';

let stdin: Promise<string> | undefined;

/** Returns all of stdin. Reads it once, however often it is called. */
function stdinText(): Promise<string> {
  stdin ??= textOf(process.stdin);
  return stdin;
}

/**
 * Returns the prompt. Reads stdin for `-`, and also when there are no words and stdin is a pipe, unless `reads` is
 * false.
 */
export async function promptOf(words: readonly string[], { reads = true } = {}): Promise<string | undefined> {
  if (words.length === 1 && words[0] === '-') return (await stdinText()).trim();
  if (words.length > 0) return words.join(' ');
  if (!reads || process.stdin.isTTY) return undefined;
  const text = (await stdinText()).trim();
  return text === '' ? undefined : text;
}

/** Returns the ids from the words, or one per line from stdin for `-`. @throws UsageError when there is no id */
export async function idsOf(words: readonly string[], what: string): Promise<string[]> {
  const ids =
    words.length === 1 && words[0] === '-'
      ? (await stdinText()).split('\n').map((line) => line.trim())
      : [...words];
  const given = ids.filter((id) => id !== '');
  if (given.length === 0)
    throw new UsageError(`Name ${what}, or give - and the ids on stdin, one on each line.`);
  return given;
}

/**
 * Returns the value of a reference. `@path` opens a file to upload, `gen_…` is the first output of a generation, and
 * `-` reads an id from stdin. Other ids and https addresses are returned unchanged.
 *
 * @throws UsageError for a file that does not exist, or a path without @
 */
export async function referenceOf(session: Session, given: string): Promise<string | File> {
  const text = await referenceText(session, given);
  return text.startsWith('@') ? fileOf(text.slice(1)) : text;
}

/** Like `referenceOf`, but leaves files as `@path`, for a request that is only printed. @throws UsageError */
export async function referenceText(session: Session, given: string): Promise<string> {
  const text = given === '-' ? ((await stdinText()).trim().split('\n')[0]?.trim() ?? '') : given;
  if (text.startsWith('@') && !existsSync(text.slice(1))) throw unreadable(text.slice(1));
  if (text.startsWith('gen_')) return (await firstOutput(session, text)).id;
  if (text === '' || (!/^(https?:|@)/.test(text) && existsSync(text)))
    throw new UsageError(
      text === '' ? 'There was no id on stdin.' : `${text} is a file.`,
      text === '' ? 'Give an id, an https address or @PATH.' : `Write @${text} to send it.`,
    );
  return text;
}

async function firstOutput({ client }: Session, id: string): Promise<Output> {
  const { outputs, status } = await client.generations.retrieve(id);
  const [first] = outputs;
  if (first === undefined)
    throw new UsageError(
      `${id} is ${status} and has no output.`,
      `\`renderkit gen wait ${id}\` waits for it.`,
    );
  return first;
}

/** Opens a file of this machine to upload it. @throws UsageError when the file cannot be read */
export async function fileOf(path: string): Promise<File> {
  try {
    return await fromPath(path);
  } catch {
    throw unreadable(path);
  }
}

function unreadable(path: string): UsageError {
  return new UsageError(`${path} cannot be read as a file.`, 'Check the path: it counts from where you are.');
}
