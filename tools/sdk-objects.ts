import { readFileSync } from 'node:fs';

/** A schema in contract/openapi.json, with only the keywords that the contract uses. */
type Schema = {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Schema[];
  oneOf?: Schema[];
  items?: Schema;
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  description?: string;
  format?: string;
};

type OpenApi = {
  paths: Record<string, Record<string, { operationId?: string; summary?: string; parameters?: Parameter[] }>>;
  components: { schemas: Record<string, Schema> };
};

type Parameter = { name?: string; in?: string; required?: boolean; description?: string; schema?: Schema };

/** Returns the type name of an operation's query: `listAssets` becomes `ListAssetsQuery`. */
const queryName = (operationId: string) =>
  `${operationId.slice(0, 1).toUpperCase()}${operationId.slice(1)}Query`;

/**
 * Returns the objects of the HTTP API as TypeScript for the SDK, which must not need the schema library. The text has
 * every component of contract/openapi.json and the query of every operation. An optional field also accepts
 * `undefined`, so that the types work under `exactOptionalPropertyTypes`. `openapi-document.ts` makes its text.
 */
export function sdkObjectsText(): string {
  const document = JSON.parse(
    readFileSync(new URL('../contract/openapi.json', import.meta.url), 'utf8'),
  ) as OpenApi;
  const parts = Object.entries(document.components.schemas).map(([name, schema]) =>
    declaration(name, schema.description, schema),
  );
  for (const path of Object.values(document.paths)) {
    for (const operation of Object.values(path)) {
      const query = (operation.parameters ?? []).filter((parameter) => parameter.in === 'query');
      if (operation.operationId === undefined || query.length === 0) continue;
      parts.push(declaration(queryName(operation.operationId), operation.summary, asObject(query)));
    }
  }
  return [
    '// Written by tools/generate-sdk-objects.ts from contract/openapi.json; changes here are lost.\n',
    ...parts,
    ...tables(document.components.schemas),
  ].join('\n');
}

/** The rows of a batch may have the fields of these requests. */
const creates = ['CreateImageRequest', 'CreateEditRequest', 'CreateVideoRequest'];

/** Returns the tables of fields that programs need at run time. */
function tables(schemas: OpenApi['components']['schemas']): string[] {
  const forms = new Map<string, string>();
  for (const create of creates)
    for (const [name, field] of Object.entries(schemas[create]?.properties ?? {}))
      forms.set(name, formOf(field));
  const entries = [...forms].map(([name, form]) => `  ${name}: '${form}',\n`);
  const parameters = Object.entries(schemas['ModelParameters']?.properties ?? {});
  const ranges = parameters.filter(([, schema]) => isRange(schema)).map(([name]) => `  '${name}',\n`);
  return [
    `/** What the creates of images, edits and videos hold in their fields. */\nexport const createFields = {\n${entries.join('')}} as const;\n`,
    `/** The numbers that a request may set where its model has a range for them. */\nexport const rangeNames = [\n${ranges.join('')}] as const;\n`,
  ];
}

/** Returns the form of a field. A field that accepts a text or a number counts as a text. */
function formOf({ type = [] }: Schema): 'text' | 'number' | 'list' | 'map' {
  const kinds = [type].flat();
  if (kinds.includes('string')) return 'text';
  if (kinds.includes('number') || kinds.includes('integer')) return 'number';
  return kinds.includes('array') ? 'list' : 'map';
}

function isRange({ properties = {} }: Schema): boolean {
  return ['min', 'max', 'step', 'default'].every((name) => name in properties);
}

function asObject(parameters: Parameter[]): Schema {
  return {
    type: 'object',
    required: parameters.filter(({ required }) => required === true).map(({ name }) => name ?? ''),
    properties: Object.fromEntries(
      parameters.map(({ name = '', description, schema = {} }) => [
        name,
        description === undefined ? schema : { ...schema, description },
      ]),
    ),
  };
}

function declaration(name: string, description: string | undefined, schema: Schema): string {
  return `${comment(description, '')}export type ${name} = ${typeText(schema, '')};\n`;
}

function typeText(schema: Schema, indent: string): string {
  if (schema.$ref !== undefined) return schema.$ref.slice(schema.$ref.lastIndexOf('/') + 1);
  const branches = schema.oneOf ?? schema.anyOf;
  if (branches !== undefined) return unique(branches.map((branch) => typeText(branch, indent))).join(' | ');
  if ('const' in schema) return literal(schema.const);
  if (schema.enum !== undefined) return unique(schema.enum.map(literal)).join(' | ');
  const kinds = Array.isArray(schema.type) ? schema.type : [schema.type];
  return unique(kinds.map((kind) => ofKind(kind, schema, indent))).join(' | ');
}

function ofKind(kind: string | undefined, schema: Schema, indent: string): string {
  switch (kind) {
    case 'string':
      return schema.format === 'binary' ? 'Blob' : 'string';
    case 'number':
    case 'integer':
      return 'number';
    case 'boolean':
      return 'boolean';
    case 'null':
      return 'null';
    case 'array':
      return `Array<${typeText(schema.items ?? {}, indent)}>`;
    case 'object':
      return objectText(schema, indent);
    default:
      return 'unknown';
  }
}

function objectText(schema: Schema, indent: string): string {
  if (schema.properties === undefined) {
    const value = schema.additionalProperties;
    return `Record<string, ${typeof value === 'object' ? typeText(value, indent) : 'unknown'}>`;
  }
  const inner = `${indent}  `;
  const lines = Object.entries(schema.properties).map(([name, property]) => {
    const optional = !(schema.required ?? []).includes(name);
    const type = `${typeText(property, inner)}${optional ? ' | undefined' : ''}`;
    return `${comment(property.description, inner)}${inner}${name}${optional ? '?' : ''}: ${type};`;
  });
  return lines.length === 0 ? 'Record<string, never>' : `{\n${lines.join('\n')}\n${indent}}`;
}

function comment(text: string | undefined, indent: string): string {
  return text === undefined ? '' : `${indent}/** ${text.replaceAll('*/', '*\\/').replaceAll('\n', ' ')} */\n`;
}

function literal(value: unknown): string {
  return typeof value === 'string'
    ? `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
    : String(value);
}

function unique(texts: string[]): string[] {
  return [...new Set(texts)];
}
