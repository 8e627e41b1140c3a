import type { RequestBody } from './kind-labels.ts';

/** A create to show as code. */
export type SampleRequest = { baseUrl: string; path: string; body: RequestBody };

/** Placeholder for the API key. */
export const placeholderKey = 'YOUR_API_KEY';
/** The file that a sample reads a painted mask from. */
export const maskFile = 'mask.png';

export const sampleLanguages = ['curl', 'TypeScript', 'Python'] as const;
export type SampleLanguage = (typeof sampleLanguages)[number];

const writers: Record<SampleLanguage, (request: SampleRequest) => string> = {
  curl: curlSample,
  TypeScript: typescriptSample,
  Python: pythonSample,
};

/**
 * Returns the request as a program. A mask with inline data is read from `mask.png`, because base64 is unreadable. The
 * command line has its own samples in `clients/cli/src/create/request-code.ts`.
 */
export function sampleOf(language: SampleLanguage, request: SampleRequest): string {
  return writers[language](request);
}

/** Returns whether the samples read the mask from a file. */
export function readsMask(body: RequestBody): boolean {
  return typeof body['mask'] === 'string' && body['mask'].startsWith('data:');
}

function curlSample({ baseUrl, path, body }: SampleRequest): string {
  const head = [
    `curl -X POST ${shellQuoted(baseUrl + path)} \\`,
    `  -H ${shellQuoted(`Authorization: Bearer ${placeholderKey}`)} \\`,
    `  -H ${shellQuoted('Content-Type: application/json')} \\`,
  ];
  if (!readsMask(body)) return [...head, `  -d ${shellQuoted(JSON.stringify(body, null, 2))}`].join('\n');
  // A mask is too long for a command-line argument, so the body is sent by standard input, where the shell inserts the
  // file.
  const { mask: _, ...rest } = body;
  const json = JSON.stringify(rest, null, 2).replaceAll(/[\\$`]/g, (sign) => `\\${sign}`);
  const mask = `"mask": "data:image/png;base64,$(base64 < ${maskFile} | tr -d '\\n')"`;
  return [...head, '  --data-binary @- <<JSON', `${json.slice(0, -2)},\n  ${mask}\n}`, 'JSON'].join('\n');
}

function typescriptSample({ baseUrl, path, body }: SampleRequest): string {
  const masked = readsMask(body);
  const text = literal(placed(body), { true: 'true', false: 'false', null: 'null', bareKeys: true });
  const mask = '`data:image/png;base64,${mask}`';
  return [
    ...(masked ? ["import { readFile } from 'node:fs/promises';", ''] : []),
    `const api = ${quoted(baseUrl)};`,
    `const headers = { Authorization: ${quoted(`Bearer ${placeholderKey}`)}, 'Content-Type': 'application/json' };`,
    ...(masked ? [`const mask = await readFile('${maskFile}', 'base64');`] : []),
    '',
    `const created = await fetch(api + ${quoted(path)}, {`,
    "  method: 'POST',",
    "  headers: { ...headers, 'Idempotency-Key': crypto.randomUUID() },",
    `  body: JSON.stringify(${indented(text, '  ').replace(quoted(maskPlace), () => mask)}),`,
    '});',
    'if (!created.ok) throw new Error(await created.text());',
    'let generation = await created.json();',
    '',
    "while (['queued', 'running'].includes(generation.status)) {",
    '  const answer = await fetch(`${api}/v1/generations/${generation.id}?wait=60`, { headers });',
    '  if (!answer.ok) throw new Error(await answer.text());',
    '  generation = await answer.json();',
    '}',
    'console.log(generation.status, generation.outputs.map((output: { url: string }) => output.url));',
  ].join('\n');
}

function pythonSample({ baseUrl, path, body }: SampleRequest): string {
  const masked = readsMask(body);
  const text = literal(placed(body), { true: 'True', false: 'False', null: 'None', bareKeys: false });
  const mask = `"data:image/png;base64," + base64.b64encode(open("${maskFile}", "rb").read()).decode()`;
  return [
    ...(masked ? ['import base64'] : []),
    'import json',
    'import urllib.request',
    'import uuid',
    '',
    `API = ${JSON.stringify(baseUrl)}`,
    `HEADERS = {"Authorization": "Bearer ${placeholderKey}", "Content-Type": "application/json"}`,
    '',
    '',
    'def call(path, body=None, headers={}):',
    '    data = None if body is None else json.dumps(body).encode()',
    '    request = urllib.request.Request(API + path, data, {**HEADERS, **headers})',
    '    with urllib.request.urlopen(request) as answer:',
    '        return json.load(answer)',
    '',
    '',
    `body = ${text.replace(JSON.stringify(maskPlace), () => mask)}`,
    `generation = call(${JSON.stringify(path)}, body, {"Idempotency-Key": str(uuid.uuid4())})`,
    'while generation["status"] in ("queued", "running"):',
    '    generation = call("/v1/generations/" + generation["id"] + "?wait=60")',
    'print(generation["status"], [output["url"] for output in generation["outputs"]])',
  ].join('\n');
}

type Words = { true: string; false: string; null: string; bareKeys: boolean };

/** Placeholder for the mask, replaced by the expression that reads it. No request can contain it. */
const maskPlace = '\u0000mask\u0000';

function placed(body: RequestBody): RequestBody {
  return readsMask(body) ? { ...body, mask: maskPlace } : body;
}

/** Returns a JSON value as a literal of a language, over several lines. */
function literal(value: unknown, words: Words, margin = ''): string {
  if (value === null || typeof value === 'boolean') return words[String(value) as 'true' | 'false' | 'null'];
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return words.bareKeys ? quoted(value) : JSON.stringify(value);
  const inner = `${margin}${words.bareKeys ? '  ' : '    '}`;
  if (Array.isArray(value)) return `[${value.map((one) => literal(one, words, inner)).join(', ')}]`;
  const lines = Object.entries(value as object).map(
    ([key, one]) => `${inner}${keyOf(key, words)}: ${literal(one, words, inner)},\n`,
  );
  return lines.length === 0 ? '{}' : `{\n${lines.join('')}${margin}}`;
}

function keyOf(key: string, { bareKeys }: Words): string {
  // A plain `__proto__` key would set the prototype.
  if (bareKeys && /^[A-Za-z_]\w*$/.test(key) && key !== '__proto__') return key;
  if (bareKeys && key === '__proto__') return "['__proto__']";
  return bareKeys ? quoted(key) : JSON.stringify(key);
}

function indented(text: string, margin: string): string {
  return text.replaceAll('\n', `\n${margin}`);
}

/** Quotes a text with single quotes, for JavaScript. */
function quoted(text: string): string {
  const inner = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'");
  return `'${inner}'`;
}

/** Quotes any text as one word for a POSIX shell. */
function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
