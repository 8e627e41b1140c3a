/**
 * A node of a workflow, as the checks of a manifest need it. `engines/comfyui/src/read-workflow-file.ts` reads a
 * workflow for an import.
 */
export interface WorkflowNode {
  readonly className: string;
  /** Each input by its name: whether it is a link or a value. */
  readonly inputs: ReadonlyMap<string, 'link' | 'value'>;
}

/**
 * Returns the nodes of a workflow in API format by their ids; `undefined` where the text is no such workflow. Ignores
 * values.
 */
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

/** Splits a target into node and input at the first dot. */
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
