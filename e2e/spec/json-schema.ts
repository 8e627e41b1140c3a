// Written by hand, so that the document is also checked without Ajv, which the service and its tests use.

type Schema = { readonly [keyword: string]: unknown };

/**
 * Returns how `value` violates a schema of OpenAPI 3.1, for the keywords that our document uses. An unknown keyword is
 * an error, so that nothing stays unchecked.
 */
export function violations(document: unknown, schema: Schema, value: unknown, where = ''): string[] {
  return Object.entries(schema).flatMap(([keyword, operand]) => {
    if (annotations.has(keyword)) return [];
    const check = checks[keyword];
    if (check === undefined) return [`${where}: unknown keyword ${keyword}`];
    return check({ document, schema, value, where }, operand);
  });
}

/** Returns the object at a `#/…` pointer. */
export function resolve(document: unknown, pointer: string): unknown {
  let found = document;
  for (const step of pointer.split('/').slice(1))
    found = (found as Record<string, unknown> | undefined)?.[
      step.replaceAll('~1', '/').replaceAll('~0', '~')
    ];
  return found;
}

const annotations = new Set(['title', 'description', 'examples', 'default', 'discriminator']);

type Case = { document: unknown; schema: Schema; value: unknown; where: string };
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const breaks = (broken: boolean, { where, value }: Case, rule: string) =>
  broken ? [`${where || 'it'}: ${rule}, not ${JSON.stringify(value)?.slice(0, 80)}`] : [];

const checks: Record<string, (one: Case, operand: unknown) => string[]> = {
  $ref: (one, to) => {
    const target = resolve(one.document, String(to));
    return isObject(target)
      ? violations(one.document, target, one.value, one.where)
      : [`${one.where}: ${String(to)} leads nowhere`];
  },
  type: (one, types) =>
    breaks(![types].flat().some((type) => isType(String(type), one.value)), one, `is ${String(types)}`),
  const: (one, constant) => breaks(one.value !== constant, one, `is ${String(constant)}`),
  enum: (one, values) =>
    breaks(!(values as unknown[]).includes(one.value), one, `is one of ${String(values)}`),
  required: (one, names) =>
    isObject(one.value)
      ? (names as string[])
          .filter((name) => !Object.hasOwn(one.value as object, name))
          .map((name) => `${one.where}.${name} is missing`)
      : [],
  properties: (one, properties) =>
    isObject(one.value)
      ? Object.entries(one.value).flatMap(([name, member]) => {
          const schema = (properties as Record<string, Schema>)[name];
          return schema === undefined ? [] : violations(one.document, schema, member, `${one.where}.${name}`);
        })
      : [],
  additionalProperties: (one, rule) => {
    if (!isObject(one.value)) return [];
    const known = one.schema['properties'] ?? {};
    const more = Object.entries(one.value).filter(([name]) => !Object.hasOwn(known, name));
    if (isObject(rule))
      return more.flatMap(([name, member]) => violations(one.document, rule, member, `${one.where}.${name}`));
    return rule === false ? more.map(([name]) => `${one.where}.${name} is in excess`) : [];
  },
  items: (one, schema) =>
    Array.isArray(one.value)
      ? one.value.flatMap((item, i) => violations(one.document, schema as Schema, item, `${one.where}[${i}]`))
      : [],
  allOf: (one, schemas) =>
    (schemas as Schema[]).flatMap((schema) => violations(one.document, schema, one.value, one.where)),
  anyOf: (one, schemas) => breaks(matching(one, schemas) === 0, one, 'matches one of several'),
  oneOf: (one, schemas) => breaks(matching(one, schemas) !== 1, one, 'matches exactly one of several'),
  minimum: (one, least) =>
    breaks(typeof one.value === 'number' && one.value < Number(least), one, `≥ ${String(least)}`),
  maximum: (one, most) =>
    breaks(typeof one.value === 'number' && one.value > Number(most), one, `≤ ${String(most)}`),
  minLength: (one, least) =>
    breaks(
      typeof one.value === 'string' && [...one.value].length < Number(least),
      one,
      `≥ ${String(least)} long`,
    ),
  maxLength: (one, most) =>
    breaks(
      typeof one.value === 'string' && [...one.value].length > Number(most),
      one,
      `≤ ${String(most)} long`,
    ),
  maxItems: (one, most) =>
    breaks(Array.isArray(one.value) && one.value.length > Number(most), one, `≤ ${String(most)} items`),
  maxProperties: (one, most) =>
    breaks(
      isObject(one.value) && Object.keys(one.value).length > Number(most),
      one,
      `≤ ${String(most)} pairs`,
    ),
  pattern: (one, source) =>
    breaks(
      typeof one.value === 'string' && !new RegExp(String(source), 'u').test(one.value),
      one,
      `like ${String(source)}`,
    ),
  format: (one, format) =>
    breaks(
      format === 'date-time' && typeof one.value === 'string' && Number.isNaN(Date.parse(one.value)),
      one,
      'is a time',
    ),
};

const matching = (one: Case, schemas: unknown) =>
  (schemas as Schema[]).filter((schema) => violations(one.document, schema, one.value).length === 0).length;

function isType(type: string, value: unknown): boolean {
  if (type === 'null') return value === null;
  if (type === 'array') return Array.isArray(value);
  if (type === 'object') return isObject(value);
  if (type === 'integer') return Number.isInteger(value);
  return typeof value === type;
}
