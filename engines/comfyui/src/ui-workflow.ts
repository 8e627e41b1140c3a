import { isArray, isObject, type Json, type JsonObject } from './json.ts';
import { refuse } from './workflow-error.ts';

/** Modes of nodes that do not run normally. */
export const nodeModes = { never: 2, bypass: 4 } as const;

/** The ids of a subgraph's own inputs and outputs in its links. */
export const subgraphInput = '-10';
export const subgraphOutput = '-20';

export interface UiInput {
  readonly name: string;
  readonly type: string;
  /** Id of the incoming link. */
  readonly link: string | undefined;
  /** True if the input belongs to a widget, so that it has a value behind it. */
  readonly hasWidget: boolean;
}

export interface UiNode {
  readonly id: string;
  readonly type: string;
  readonly title: string | undefined;
  readonly mode: number;
  readonly inputs: readonly UiInput[];
  /** Types of the outputs, by slot. */
  readonly outputs: readonly string[];
  /** `widgets_values` of the file: a list by position, an object by name, or nothing. */
  readonly values: Json;
  /** The same values by name. Newer versions write them in addition to the list. */
  readonly namedValues: JsonObject | undefined;
  readonly properties: JsonObject;
}

export interface UiLink {
  readonly from: string;
  readonly fromSlot: number;
  readonly to: string;
  readonly toSlot: number;
}

/** An input or output of a subgraph. */
export interface Boundary {
  readonly name: string;
  readonly label: string;
  readonly type: string;
  readonly links: readonly string[];
}

export interface UiGraph {
  readonly nodes: ReadonlyMap<string, UiNode>;
  readonly links: ReadonlyMap<string, UiLink>;
  readonly inputs: readonly Boundary[];
  readonly outputs: readonly Boundary[];
}

/** A workflow that the editor saved, in schema 0.4 (links are lists) or 1 (links are objects). */
export interface UiWorkflow {
  readonly root: UiGraph;
  /** By id. The id is the type of the subgraph's nodes. */
  readonly subgraphs: ReadonlyMap<string, UiGraph>;
  /** Names of group nodes, the older form of subgraphs. */
  readonly groupNodes: ReadonlySet<string>;
  readonly extra: JsonObject;
  /** Model files that the author names with their addresses. */
  readonly models: readonly Json[];
}

const maxNodesInFile = 20_000;

/** Reads a workflow in UI format. @throws WorkflowError with `not_a_workflow` */
export function readUiWorkflow(file: JsonObject): UiWorkflow {
  const extra = objectIn(file, 'extra');
  const subgraphs = new Map<string, UiGraph>();
  for (const definitions of [objectIn(file, 'definitions'), objectIn(extra, 'definitions')]) {
    for (const subgraph of listIn(definitions, 'subgraphs')) {
      if (isObject(subgraph)) subgraphs.set(textOf(subgraph.get('id')) ?? '', readUiGraph(subgraph));
    }
  }
  return {
    root: readUiGraph(file),
    subgraphs,
    groupNodes: new Set(objectIn(extra, 'groupNodes').keys()),
    extra,
    models: listIn(file, 'models'),
  };
}

function readUiGraph(graph: JsonObject): UiGraph {
  const nodes = new Map<string, UiNode>();
  for (const value of listIn(graph, 'nodes')) {
    const node = isObject(value) ? readNode(value) : undefined;
    if (node !== undefined) nodes.set(node.id, node);
  }
  if (nodes.size > maxNodesInFile)
    throw refuse('not_a_workflow', 'The workflow has more nodes than are taken.');
  const links = new Map<string, UiLink>();
  for (const value of listIn(graph, 'links')) {
    const [id, link] = readLink(value);
    if (id !== undefined && Number.isInteger(link.fromSlot)) links.set(id, link);
  }
  return {
    nodes,
    links,
    inputs: listIn(graph, 'inputs').map(readBoundary),
    outputs: listIn(graph, 'outputs').map(readBoundary),
  };
}

function readNode(node: JsonObject): UiNode | undefined {
  const id = textOf(node.get('id'));
  const type = node.get('type');
  if (id === undefined || typeof type !== 'string') return undefined;
  const title = node.get('title');
  const mode = node.get('mode');
  const named = node.get('widgets_values_named');
  return {
    id,
    type,
    title: typeof title === 'string' && title !== '' ? title : undefined,
    mode: typeof mode === 'number' ? mode : 0,
    inputs: listIn(node, 'inputs').map(readInput),
    outputs: listIn(node, 'outputs').map((output) => (isObject(output) ? typeText(output.get('type')) : '*')),
    values: node.get('widgets_values') ?? null,
    namedValues: isObject(named) ? named : undefined,
    properties: objectIn(node, 'properties'),
  };
}

function readInput(input: Json): UiInput {
  const fields: JsonObject = isObject(input) ? input : new Map();
  return {
    name: textOf(fields.get('name')) ?? '',
    type: typeText(fields.get('type')),
    link: textOf(fields.get('link')),
    hasWidget: isObject(fields.get('widget')),
  };
}

function readLink(link: Json): [id: string | undefined, link: UiLink] {
  const part = (place: number, name: string): Json | undefined =>
    isArray(link) ? link[place] : isObject(link) ? link.get(name) : undefined;
  return [
    textOf(part(0, 'id')),
    {
      from: textOf(part(1, 'origin_id')) ?? '',
      fromSlot: Number(part(2, 'origin_slot')),
      to: textOf(part(3, 'target_id')) ?? '',
      toSlot: Number(part(4, 'target_slot')),
    },
  ];
}

function readBoundary(value: Json): Boundary {
  const fields: JsonObject = isObject(value) ? value : new Map();
  const name = textOf(fields.get('name')) ?? '';
  return {
    name,
    label: textOf(fields.get('label')) ?? name,
    type: typeText(fields.get('type')),
    links: listIn(fields, 'linkIds').flatMap((id) => textOf(id) ?? []),
  };
}

/** Returns the list under a key, or an empty list. */
export function listIn(object: JsonObject, key: string): readonly Json[] {
  const value = object.get(key);
  return isArray(value) ? value : [];
}

/** Returns the object under a key, or an empty object. */
export function objectIn(object: JsonObject, key: string): JsonObject {
  const value = object.get(key);
  return isObject(value) ? value : new Map();
}

/** Returns a text, or a number as text, because ids may be either. */
export function textOf(value: Json | undefined): string | undefined {
  if (typeof value === 'string') return value;
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : undefined;
}

/** Returns a type as text. Some files have the list of choices as the type, or 0 for "any" and "event". */
function typeText(type: Json | undefined): string {
  if (typeof type === 'string') return type;
  return isArray(type) ? 'COMBO' : '*';
}

/** Returns the pack that a node names as its origin: `comfyui-videohelpersuite 1.6.1`. */
export function packOf({ properties }: UiNode): string | undefined {
  const name = properties.get('cnr_id') ?? properties.get('aux_id');
  const version = properties.get('ver');
  if (typeof name !== 'string' || name === 'comfy-core') return undefined;
  return typeof version === 'string' ? `${name} ${version}` : name;
}
