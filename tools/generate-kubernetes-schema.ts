// Writes tools/schemas/kubernetes.schema.json from the models of Kubernetes' own client. The schema has the kinds that
// deploy/kustomize uses:
//
//   npm pack @kubernetes/client-node && tar -xzf kubernetes-client-node-*.tgz
//   node stack/launch.mjs --dev tools/generate-kubernetes-schema.ts package

import { readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';

const kinds = {
  'apps/v1 Deployment': 'V1Deployment',
  'autoscaling/v2 HorizontalPodAutoscaler': 'V2HorizontalPodAutoscaler',
  'batch/v1 Job': 'V1Job',
  'networking.k8s.io/v1 Ingress': 'V1Ingress',
  'networking.k8s.io/v1 NetworkPolicy': 'V1NetworkPolicy',
  'policy/v1 PodDisruptionBudget': 'V1PodDisruptionBudget',
  'v1 ConfigMap': 'V1ConfigMap',
  'v1 PersistentVolumeClaim': 'V1PersistentVolumeClaim',
  'v1 Service': 'V1Service',
  'v1 ServiceAccount': 'V1ServiceAccount',
};

type Schema = Record<string, unknown>;

const [folder = 'package'] = process.argv.slice(2);
const models = path.join(folder, 'dist/gen/models');
const { version } = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as {
  version: string;
};
const definitions: Record<string, Schema> = {};
const found = new Set<string>(Object.values(kinds));
// The set grows during the loop.
for (const name of found) definitions[name] = await schemaOf(name);

const schema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  $comment: `Made by tools/generate-kubernetes-schema.ts from @kubernetes/client-node ${version}, licence Apache-2.0.`,
  kinds,
  definitions: Object.fromEntries(Object.entries(definitions).sort(([a], [b]) => (a < b ? -1 : 1))),
};
const file = path.join(import.meta.dirname, 'schemas/kubernetes.schema.json');
await writeFile(file, `${JSON.stringify(schema)}\n`);
if (process.connected) process.disconnect();

/**
 * Returns the schema of one model: its fields, and the required ones. Other fields are not allowed, so that misspelt
 * fields are found.
 */
async function schemaOf(name: string): Promise<Schema> {
  const text = await readFile(path.join(models, `${name}.d.ts`), 'utf8');
  const properties: Record<string, Schema> = {};
  const required: string[] = [];
  for (const [, field = '', optional, type = ''] of text.matchAll(
    /^ {4}'([^']+)'(\?)?: (\{[^}]*\}|[^;]+);$/gm,
  )) {
    // A field that is not a valid name in TypeScript has an underscore as prefix.
    properties[field.replace(/^_/, '')] = typeOf(type);
    if (optional === undefined) required.push(field.replace(/^_/, ''));
  }
  return {
    type: 'object',
    properties,
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  };
}

function typeOf(text: string): Schema {
  const type = text.replaceAll(/\s+/g, ' ').trim();
  const list = /^Array<(.*)>$/.exec(type)?.[1];
  if (list !== undefined) return { type: 'array', items: typeOf(list) };
  const map = /^\{ \[key: string\]: (.*); \}$/.exec(type)?.[1];
  if (map !== undefined) return { type: 'object', additionalProperties: typeOf(map) };
  if (['string', 'number', 'boolean', 'object'].includes(type)) return { type };
  if (type === 'IntOrString') return { type: ['integer', 'string'] };
  if (type === 'any') return {};
  // For times. A resource's quantity is a string in the models, but may be written as a number.
  if (type === 'Date' || type === 'V1MicroTime') return { type: 'string' };
  if (!/^V\d\w+$|^\w+V\d\w+$/.test(type)) throw new Error(`a type that nothing is known of: ${type}`);
  found.add(type);
  return { $ref: `#/definitions/${type}` };
}
