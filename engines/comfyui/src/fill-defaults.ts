import { type Graph, type GraphNode, nameOf } from './graph.ts';
import { type Json, writeJson } from './json.ts';
import { hasWidget, type InputSpec, inputsOf, isFileName, type ObjectInfo } from './object-info.ts';
import type { Warning } from './workflow-error.ts';

/**
 * Fills inputs that a class gained after the graph was saved, with the value that the editor would show there. An input
 * without such a value, or with the name of a model file, stays empty: only the author knows what is meant. A workflow
 * in UI format gets its defaults before, in `convert-workflow.ts`.
 */
export function fillDefaults(
  graph: Graph,
  classes: ObjectInfo,
): { readonly graph: Graph; readonly warnings: readonly Warning[] } {
  const warnings: Warning[] = [];
  const nodes = Array.from(graph.values(), (node): [string, GraphNode] => {
    const nodeClass = classes.get(node.classType);
    if (nodeClass === undefined) return [node.id, node];
    const inputs = new Map(node.inputs);
    for (const spec of inputsOf(nodeClass, node.inputs)) {
      const value = defaultOf(spec);
      if (value === undefined || !spec.required || inputs.has(spec.name)) continue;
      inputs.set(spec.name, value);
      const message = `${nameOf(node)} was saved without "${spec.name}": it takes ${writeJson(value)} there.`;
      warnings.push({ message, node: node.id });
    }
    return [node.id, { ...node, inputs }];
  });
  return { graph: new Map(nodes), warnings };
}

function defaultOf(spec: InputSpec): Json | undefined {
  if (!hasWidget(spec) || spec.choices?.some(isFileName) === true) return undefined;
  const { choices } = spec;
  const said = spec.options.get('default');
  if (choices === undefined) return said;
  // A list of files on the machine, such as uploaded ones, does not show what is meant.
  const isUpload = [...spec.options.keys()].some((key) => key.endsWith('_upload'));
  return isUpload ? undefined : (said ?? choices[0]);
}
