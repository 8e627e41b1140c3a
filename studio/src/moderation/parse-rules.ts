import { isUtf8 } from 'node:buffer';
import { readFileSync } from 'node:fs';
import { InvalidJson } from '@renderkit/server-kit/http/invalid-json.ts';
import { type JsonLimits, JsonScan } from '@renderkit/server-kit/http/json-scan.ts';
import { textLimitsOf } from '@renderkit/server-kit/http/text-limits.ts';
import { fold, spell } from './readings.ts';

export type RuleList = {
  /** Each rule refuses a text that contains one of its phrases as whole words, in any spelling. */
  rules: TextRule[];
  /** Rules for uploads, by file name and bytes. */
  uploads: {
    rules: FileRule[];
    /** Files whose check is delayed, to test how clients wait. */
    slow: { phrases: string[]; seconds: number }[];
  };
};

type TextRule = { reason: string; phrases: string[] };
type FileRule = TextRule & {
  /** SHA-256 of files, in hex. */
  sha256: string[];
};

/** The text of a new moderation file. */
export const defaultRulesText = readFileSync(new URL('default-rules.json', import.meta.url), 'utf8');

/** The text is not a valid list of rules. The message says what is wrong and where, without a full stop. */
export class RulesInvalid extends Error {
  override name = 'RulesInvalid';
}

const maxFileBytes = 256 * 1024 * 1024;
/** More than any list that a person maintains. */
const jsonLimits: JsonLimits = {
  maxDepth: 32,
  maxValues: 1_000_000,
  maxNumberCharacters: 40,
  maxContentBytes: maxFileBytes,
  maxGatheredBytes: maxFileBytes,
  texts: textLimitsOf({}, 1_000_000),
};
const maxDelaySeconds = 600;

/**
 * Reads the bytes of a moderation file (JSON). `compile-rules.ts` compares the phrases with a text, in the spellings of
 * `readings.ts`. @throws RulesInvalid
 */
export function parseRules(bytes: Uint8Array): RuleList {
  const value = parseJson(bytes);
  const { rules, uploads } = fieldsOf(value, '', ['rules', 'uploads']);
  return {
    rules: listOf(rules, 'rules', textRule),
    // A file from a release without upload rules uses the default upload rules.
    uploads: uploads === undefined ? parseRules(Buffer.from(defaultRulesText)).uploads : uploadRules(uploads),
  };
}

function uploadRules(value: unknown): RuleList['uploads'] {
  const { rules, slow } = fieldsOf(value, 'uploads', ['rules', 'slow']);
  return {
    rules: listOf(rules, 'uploads.rules', (one, at) => {
      const { reason, phrases, sha256 } = fieldsOf(one, at, ['reason', 'phrases', 'sha256']);
      return { ...textRule({ reason, phrases }, at), sha256: listOf(sha256, `${at}.sha256`, digest) };
    }),
    slow: listOf(slow, 'uploads.slow', (one, at) => {
      const { phrases, seconds } = fieldsOf(one, at, ['phrases', 'seconds']);
      if (typeof seconds !== 'number' || seconds < 0 || seconds > maxDelaySeconds)
        throw new RulesInvalid(`${at}.seconds must be a number from 0 to ${maxDelaySeconds}`);
      return { phrases: listOf(phrases, `${at}.phrases`, phrase), seconds };
    }),
  };
}

function textRule(value: unknown, at: string): TextRule {
  const { reason, phrases } = fieldsOf(value, at, ['reason', 'phrases']);
  if (typeof reason !== 'string') throw new RulesInvalid(`${at}.reason must be a text`);
  return { reason, phrases: listOf(phrases, `${at}.phrases`, phrase) };
}

function phrase(value: unknown, at: string): string {
  // A phrase without letters and digits could never be found.
  if (typeof value !== 'string' || spell(fold(value)).trim() === '')
    throw new RulesInvalid(`${at} must be a text with letters or digits`);
  return value;
}

function digest(value: unknown, at: string): string {
  if (typeof value !== 'string' || !/^[0-9a-f]{64}$/.test(value))
    throw new RulesInvalid(`${at} must be a SHA-256 in 64 lower-case hexadecimal characters`);
  return value;
}

function listOf<T>(value: unknown, at: string, one: (value: unknown, at: string) => T): T[] {
  if (!Array.isArray(value)) throw new RulesInvalid(`${at} must be a list`);
  return value.map((entry, i) => one(entry, `${at}[${i}]`));
}

/** Returns the fields of an object. Throws for other names: a rule with a misspelt name would silently not apply. */
function fieldsOf<const Name extends string>(
  value: unknown,
  at: string,
  names: readonly Name[],
): Partial<Record<Name, unknown>> {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new RulesInvalid(`${at === '' ? 'the whole' : at} must be an object with ${names.join(' and ')}`);
  const unknown = Object.keys(value).find((name) => !(names as readonly string[]).includes(name));
  if (unknown !== undefined)
    throw new RulesInvalid(
      `${at === '' ? unknown : `${at}.${unknown}`} is no field that rules have: ${names.join(', ')}`,
    );
  return value;
}

function parseJson(bytes: Uint8Array): unknown {
  if (!isUtf8(bytes)) throw new RulesInvalid('the file is not valid UTF-8');
  const text = new TextDecoder().decode(bytes);
  if (text.trim() === '') throw new RulesInvalid('the file is empty');
  checkGrammar(text);
  const scan = new JsonScan(jsonLimits);
  try {
    scan.add(bytes);
    const { value, issues } = scan.end();
    if (issues.length > 0) throw new InvalidJson(issues);
    return value;
  } catch (error) {
    if (!(error instanceof InvalidJson)) throw error;
    const [issue] = error.issues;
    throw new RulesInvalid(`${issue?.path || 'the file'} ${issue?.message}`, { cause: error });
  }
}

/** @throws RulesInvalid with the line */
function checkGrammar(text: string): void {
  try {
    JSON.parse(text);
  } catch (error) {
    const { message } = error as SyntaxError;
    const line = text.slice(0, positionOf(message, text)).split('\n').length;
    // Removes the part of the text that the message quotes: it may contain line breaks.
    const what = message.replace(/(, "| in JSON|, \.\.\.").*$/s, '');
    throw new RulesInvalid(`line ${line} is no JSON: ${what}`, { cause: error });
  }
}

/**
 * Returns where JSON.parse failed. For a token, its message has no position; then searches the shortest text that
 * JSON.parse refuses.
 */
function positionOf(message: string, text: string): number {
  const position = /at position (\d+)/.exec(message)?.[1];
  if (position !== undefined) return Number(position);
  const token = /^Unexpected token '.{1,2}'/su.exec(message)?.[0];
  if (token === undefined) return text.length;
  let [from, to] = [0, text.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (refusal(text.slice(0, middle + 1)).startsWith(token)) to = middle;
    else from = middle + 1;
  }
  return from;
}

function refusal(text: string): string {
  try {
    JSON.parse(text);
    return '';
  } catch (error) {
    return (error as SyntaxError).message;
  }
}
