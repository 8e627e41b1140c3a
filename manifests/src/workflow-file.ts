/** A node as the checks of a manifest see it. */
export interface WorkflowNode {
  readonly className: string;
  /** Whether each of its inputs is a link. */
  readonly inputs: ReadonlyMap<string, 'link' | 'value'>;
}

/** The nodes of a workflow in API format by their ids; undefined where the text is none. Values are not looked at. */
export function readWorkflow(text: string): ReadonlyMap<string, WorkflowNode> | undefined {
  const graph = parseObject(text);
  if (graph === undefined) return undefined;
  const nodes = new Map<string, WorkflowNode>();
  for (const [id, node] of Object.entries(graph)) {
    const { class_type: className, inputs } = asObject(node) ?? {};
    if (typeof className !== 'string') return undefined;
    const entries = Object.entries(asObject(inputs) ?? {});
    nodes.set(id, {
      className,
      inputs: new Map(entries.map(([name, value]) => [name, Array.isArray(value) ? 'link' : 'value'])),
    });
  }
  return nodes.size === 0 ? undefined : nodes;
}

/** Node and input of a target: the first dot parts them. */
export function splitTarget(target: string): [node: string, input: string] {
  const dot = target.indexOf('.');
  return dot === -1 ? [target, ''] : [target.slice(0, dot), target.slice(dot + 1)];
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    return asObject(JSON.parse(text));
  } catch {
    return undefined;
  }
}

function asObject(value: unknown): Readonly<Record<string, unknown>> | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}
