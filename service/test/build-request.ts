/** The parts of a table of operations that are needed to call them. */
export type OperationTable<Id extends string> = Record<
  Id,
  { method: string; path: string; idempotent?: boolean; request: object }
>;

export type BuiltRequest<Id extends string> = {
  operationId: Id;
  method: string;
  path: string;
  headers: Record<string, string>;
  body: string | undefined;
};

type Random = () => number;
/** The part of JSON Schema that the contract's requests use. */
type Schema = {
  const?: unknown;
  enum?: unknown[];
  type?: string | string[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: Schema | false;
  items?: Schema;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  allOf?: { then: Schema }[];
};

const hostileTexts = [
  '',
  ' ',
  '\0',
  '\u0001',
  '\ud800',
  '😀'.repeat(10),
  'ﷺ',
  '\u202e',
  "' or 1=1 --",
  '$1',
  '%00',
  '../..',
  '<script>',
  'x'.repeat(201),
  'x'.repeat(5_000),
  '__proto__',
  'constructor',
  'null',
  'NaN',
  '\r\nx: y',
  'gen_',
  'upl_0',
  'https://127.0.0.1/',
  'http://[::1]:80',
  'data:image/png;base64,AAAA',
  'file:///etc/passwd',
  '٣',
  '-0',
  '1e400',
];
const hostileValues: unknown[] = [
  ...hostileTexts,
  null,
  true,
  false,
  0,
  -1,
  0.1,
  1e308,
  -1e308,
  2 ** 60,
  [],
  [[]],
  {},
  { a: {} },
  [null],
  [{}],
  { toString: 'x' },
  { constructor: 'x' },
  { hasOwnProperty: 1 },
  ['x', 'x'],
  Array.from({ length: 50 }, () => 'x'),
];
const hostileBodies = [
  '',
  '{',
  '[]',
  'null',
  '"x"',
  '1',
  '{"a":1,"a":2}',
  '{"__proto__":{}}',
  '{"constructor":{"prototype":{}}}',
  '{"prompt":"\\u0000"}',
  '{"prompt":"\\ud800"}',
  `${'['.repeat(40)}${']'.repeat(40)}`,
  '{"prompt":1e999}',
  '\u{feff}{}',
  '{"prompt":"x"}x',
  `[${'1,'.repeat(20_000)}1]`,
];

/** Builds a request for some operation. Half of the requests match the schemas or nearly so, half do not. */
export function buildRequest<Id extends string>(
  random: Random,
  operations: OperationTable<Id>,
  known: readonly string[],
): BuiltRequest<Id> {
  const operationId = pick(random, Object.keys(operations) as Id[]);
  const operation = operations[operationId];
  const wild = random() < 0.5;
  const chance = wild ? 0.35 : 0.04;
  const { params, query, body } = operation.request as { params?: Schema; query?: Schema; body?: Schema };
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    if (random() < chance) return encode(pick(random, hostileTexts));
    return encode(
      random() < 0.7 ? pick(random, known) : String(valueOf(random, params?.properties?.[name] ?? {})),
    );
  });
  const pairs = Object.entries(query?.properties ?? {})
    .filter(() => random() < 0.4)
    .map(([name, schema]) => {
      const value = random() < chance ? pick(random, hostileTexts) : String(valueOf(random, schema));
      return `${name}=${encode(value)}`;
    });
  if (random() < chance / 2)
    pairs.push(`${encode(pick(random, hostileTexts))}=${encode(pick(random, hostileTexts))}`);
  if (random() < chance / 2) pairs.push('%ff=%zz');
  // A long poll that waits is valid but slow.
  const text = pairs.filter((pair) => !/^wait=[1-9]/.test(pair)).join('&');
  // A stream would not end.
  const headers: Record<string, string> = { accept: 'application/json' };
  if (operation.idempotent === true && random() < 0.3)
    headers['idempotency-key'] =
      random() < chance ? pick(random, ['', 'x'.repeat(300), 'a\tb']) : `key ${Math.floor(random() * 20)}`;
  return {
    operationId,
    method:
      random() < chance / 4
        ? pick(random, ['PUT', 'DELETE', 'POST', 'GET', 'PATCH', 'OPTIONS'])
        : operation.method,
    path: text === '' ? path : `${path}?${text}`,
    headers,
    body: body === undefined ? undefined : bodyOf(random, body, chance, headers),
  };
}

function bodyOf(random: Random, schema: Schema, chance: number, headers: Record<string, string>): string {
  if (random() < chance / 3) return pick(random, hostileBodies);
  headers['content-type'] =
    random() < chance / 4
      ? pick(random, ['text/plain', ';', 'application/json; charset=latin1'])
      : 'application/json';
  const shape = schema.allOf === undefined ? schema : pick(random, schema.allOf).then;
  const whole = valueOf(random, shape) as Record<string, unknown>;
  for (const name of Object.keys(whole)) {
    if (random() < chance) whole[name] = pick(random, hostileValues);
    else if (random() < chance / 2) delete whole[name];
  }
  if (random() < chance / 2) whole[pick(random, hostileTexts)] = pick(random, hostileValues);
  return JSON.stringify(whole);
}

/** Returns a value that is valid for the schema. */
function valueOf(random: Random, schema: Schema): unknown {
  if (schema.const !== undefined) return schema.const;
  if (schema.enum !== undefined) return pick(random, schema.enum);
  const { minimum = 0, maximum = 60, minLength = 0, maxLength = 40, maxItems = 3 } = schema;
  const kind = typeof schema.type === 'object' ? pick(random, schema.type) : schema.type;
  switch (kind) {
    case 'object': {
      const { properties = {}, required = [], additionalProperties } = schema;
      // Adds only few optional fields, because a model accepts only some of them.
      const entries = Object.entries(properties)
        .filter(([name]) => required.includes(name) || random() < (name === 'prompt' ? 0.9 : 0.12))
        .map(([name, property]): [string, unknown] => [name, valueOf(random, property)]);
      if (additionalProperties !== undefined && additionalProperties !== false)
        entries.push([pick(random, ['seed', 'order', 'x']), valueOf(random, additionalProperties)]);
      return Object.fromEntries(entries);
    }
    case 'array':
      return Array.from({ length: Math.floor(random() * (Math.min(maxItems, 4) + 1)) }, () =>
        valueOf(random, schema.items ?? {}),
      );
    case 'integer':
      return minimum + Math.floor(random() * (Math.min(maximum, minimum + 30) - minimum + 1));
    case 'number':
      return minimum + random() * (maximum - minimum);
    case 'boolean':
      return random() < 0.5;
    case 'null':
      return null;
    default: {
      const word = pick(random, [
        'plain',
        'night/adult',
        'ink',
        '1:1',
        'a calm sea at dusk',
        'é😀ж',
        '5',
        'prj_1',
        'lib_1',
        'film',
        '720p',
        'Title',
      ]);
      return word.slice(0, maxLength).padEnd(minLength, 'x');
    }
  }
}

function pick<T>(random: Random, from: readonly T[]): T {
  return from[Math.floor(random() * from.length)] as T;
}

/** Percent-encodes a text. A lone surrogate becomes invalid UTF-8, as a careless client would send it. */
function encode(text: string): string {
  return text.isWellFormed() ? encodeURIComponent(text) : '%ED%A0%80';
}
