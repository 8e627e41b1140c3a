import { randomBytes } from 'node:crypto';
import { countOf } from '../amounts.ts';
import { UsageError } from '../cli-error.ts';
import {
  type CreateKind,
  createKinds,
  type RequestBody,
  severalReferences,
  singleReferences,
} from './kinds.ts';

/** A request to print as code. `@path` in a field of references is a file. */
export type WrittenRequest = {
  kind: CreateKind;
  body: RequestBody;
  baseUrl: string;
  /** Command-line options that decide what happens with the outputs. */
  more: { count?: string | undefined; output?: string | undefined };
};

export const codeForms = ['curl', 'ts', 'cli'] as const;
export type CodeForm = (typeof codeForms)[number];

/**
 * Returns the request as a program. The program reads the key from RENDERKIT_API_KEY and never contains the key. The
 * console has its own samples in `console/src/generations/code-samples.ts`.
 *
 * @throws UsageError for an option that this form cannot express
 */
export function requestCode(form: CodeForm, request: WrittenRequest): string {
  const { count, output } = request.more;
  const isSeveral = count !== undefined && countOf(count, 'count') > 1;
  if (isSeveral && form !== 'cli')
    throw new UsageError(`-n cannot be written down as ${form}: it is one request.`);
  if (output !== undefined && form === 'curl')
    throw new UsageError('-o cannot be written down as curl: what it asks for is there later.');
  if (form === 'ts' && (output === '-' || output?.endsWith('/') === true))
    throw new UsageError('-o is a file where the request is written down as ts.');
  return { curl: curlCode, ts: typescriptCode, cli: cliCode }[form](request);
}

const isFile = (value: unknown): value is string => typeof value === 'string' && value.startsWith('@');

/** Returns the request with each file replaced. */
function withFiles(body: RequestBody, put: (path: string) => unknown): RequestBody {
  const replace = (value: unknown): unknown => (isFile(value) ? put(value.slice(1)) : value);
  const changed = { ...body };
  for (const field of singleReferences) if (field in changed) changed[field] = replace(changed[field]);
  for (const field of severalReferences)
    if (Array.isArray(changed[field])) changed[field] = changed[field].map(replace);
  return changed;
}

/**
 * Returns the request with a unique marker for each file, to be replaced by an expression. The marker is random, so no
 * user can have typed it.
 */
function marked(body: RequestBody): { body: RequestBody; files: string[]; mark: string } {
  const files: string[] = [];
  const mark = `file-${randomBytes(8).toString('hex')}-`;
  return { body: withFiles(body, (file) => `${mark}${files.push(file)}`), files, mark };
}

function curlCode({ kind, body, baseUrl }: WrittenRequest): string {
  const { body: rest, files, mark } = marked(body);
  const key = '-H "Authorization: Bearer $RENDERKIT_API_KEY"';
  const uploads = files.map(
    (file, i) =>
      `FILE_${i + 1}=$(curl -sS ${shellQuoted(`${baseUrl}/v1/uploads`)} ${key} \\\n` +
      `  -F ${shellQuoted(`file=@"${file}"`)} | sed -n 's/.*"id":"\\([^"]*\\)".*/\\1/p')`,
  );
  // Each marker closes the shell quotes to insert a variable.
  const json = shellQuoted(JSON.stringify(rest, null, 2)).replaceAll(
    new RegExp(`${mark}(\\d+)`, 'g'),
    (_, number: string) => `'"$FILE_${number}"'`,
  );
  return [
    ...uploads,
    `curl -sS ${shellQuoted(baseUrl + createKinds[kind].path)} ${key} \\`,
    `  -H 'Content-Type: application/json' \\`,
    `  -d ${json}`,
  ].join('\n');
}

function typescriptCode({ kind, body, baseUrl, more }: WrittenRequest): string {
  const { body: rest, files, mark } = marked(body);
  const text = literal(rest).replaceAll(
    new RegExp(`'${mark}(\\d+)'`, 'g'),
    (_, number: string) => `fromPath(${quoted(files[Number(number) - 1] ?? '')})`,
  );
  const helpers = [...(files.length > 0 ? ['fromPath'] : []), ...(more.output === undefined ? [] : ['save'])];
  return [
    "import Renderkit from 'renderkit';",
    ...(helpers.length > 0 ? [`import { ${helpers.join(', ')} } from 'renderkit/node';`] : []),
    '',
    `const rk = new Renderkit({ baseUrl: ${quoted(baseUrl)} }); // its key is RENDERKIT_API_KEY`,
    `const { outputs } = await rk.${createKinds[kind].method}(${text});`,
    ...(more.output === undefined ? [] : [`await save(outputs[0], ${quoted(more.output)});`]),
    'console.log(outputs.map(({ url }) => url));',
  ].join('\n');
}

/** Command-line flags, by the fields that they set. */
const flags: Record<string, string> = {
  model: '-m',
  aspect_ratio: '-r',
  reference_images: '--ref',
  reference_audios: '--audio',
  styles: '--style',
  suggestions: '--suggestion',
  cfg: '--cfg',
  project_id: '--project',
  mask: '--mask',
  strength: '--strength',
  start_image: '--start',
  end_image: '--end',
  source_video: '--source',
  duration: '-d',
};

function cliCode({ kind, body, more }: WrittenRequest): string {
  const words = ['renderkit', createKinds[kind].command];
  const own = ['image', 'video_id', 'prompt'].flatMap((field) =>
    body[field] === undefined ? [] : [shellWord(body[field])],
  );
  // Words that look like a flag must come after all flags.
  const areLast = own.some((word) => /^'?-/.test(word));
  if (!areLast) words.push(...own);
  for (const [field, flag] of Object.entries(flags))
    for (const value of body[field] === undefined ? [] : [body[field]].flat())
      words.push(...flagged(flag, value));
  for (const [flag, field] of [
    ['-O', 'options'],
    ['--meta', 'metadata'],
  ] as const)
    for (const [key, value] of Object.entries(body[field] ?? {}))
      words.push(flag, shellWord(`${key}=${value}`));
  if (typeof body['inpaint_type'] === 'string') words.push(`--${body['inpaint_type']}`);
  if (more.count !== undefined) words.push('-n', more.count);
  if (more.output !== undefined)
    words.push(...(more.output === '-' ? ['-o', '-'] : flagged('-o', more.output)));
  if (areLast) words.push('--', ...own);
  return words.join(' ');
}

/** Returns a flag and its value, as one word when the value itself looks like a flag. */
function flagged(flag: string, value: unknown): string[] {
  const long = { '-m': '--model', '-r': '--ratio', '-d': '--duration', '-o': '--output' }[flag] ?? flag;
  return String(value).startsWith('-') ? [`${long}=${shellQuoted(String(value))}`] : [flag, shellWord(value)];
}

/** Returns a JSON value as TypeScript code, over several lines. */
function literal(value: unknown, margin = ''): string {
  if (typeof value === 'string') return quoted(value);
  if (typeof value !== 'object' || value === null) return String(value);
  const inner = `${margin}  `;
  if (Array.isArray(value)) return `[${value.map((one) => literal(one, inner)).join(', ')}]`;
  const lines = Object.entries(value).map(([key, one]) => {
    const name = /^[A-Za-z]\w*$/.test(key) ? key : `[${quoted(key)}]`;
    return `${inner}${name}: ${literal(one, inner)},\n`;
  });
  return lines.length === 0 ? '{}' : `{\n${lines.join('')}${margin}}`;
}

function quoted(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${inner}'`;
}

/** Quotes any text as one word for a POSIX shell. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

function shellWord(value: unknown): string {
  const text = String(value);
  return /^[\w@:./=-]+$/.test(text) && !text.startsWith('-') ? text : shellQuoted(text);
}
