import type { JsonValue, Route } from '@renderkit/engine-kit/route.ts';
import type { TargetSpec, TargetSpecs } from '@renderkit/engine-kit/target-spec.ts';
import { placeOf } from './assemble-graph.ts';
import { choosesUpload } from './check-value.ts';
import type { Graph } from './graph.ts';
import { modelFolder } from './known-nodes.ts';
import {
  choicesOf,
  findInput,
  type InputSpec,
  isFileName,
  matchChoice,
  numberOption,
  type ObjectInfo,
} from './object-info.ts';

/**
 * Returns the specifications of the inputs that a route sets, from the classes of a ComfyUI.
 * `manifests/src/check-machine.ts` compares them with what requests may set.
 *
 * @throws EngineFailure blame `pair` if a target is not a node of the route
 */
export function targetSpecs(route: Route, graph: Graph, classes: ObjectInfo): TargetSpecs {
  return new Map(
    Object.keys(route.set).flatMap((target): [string, TargetSpec][] => {
      const { node: id, input } = placeOf(route, target);
      const node = graph.get(id);
      const nodeClass = node && classes.get(node.classType);
      const spec = nodeClass && findInput(nodeClass, input, node?.inputs ?? new Map());
      return spec === undefined ? [] : [[target, specOf(spec, node?.classType ?? '')]];
    }),
  );
}

const types: Readonly<Record<string, TargetSpec['type']>> = {
  INT: 'int',
  FLOAT: 'float',
  STRING: 'string',
  BOOLEAN: 'bool',
};

function specOf(spec: InputSpec, className: string): TargetSpec {
  const [min, max, step] = ['min', 'max', 'step'].map((option) => numberOption(spec, option));
  return {
    type: types[spec.type] ?? 'other',
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(step !== undefined && { step }),
    ...listOf(spec, className),
  };
}

/**
 * Returns what a list offers. An empty list, or a list with a model file, is a list of files: other machines may spell
 * them differently.
 */
function listOf(spec: InputSpec, className: string): Pick<TargetSpec, 'choices' | 'files'> {
  const listed = choicesOf(spec);
  if (listed === undefined || choosesUpload(spec)) return {};
  if (listed.length === 0 || listed.some(isFileName))
    return {
      files: {
        folder: modelFolder(className, spec.name),
        has: (name) => isPlain(name) && matchChoice(listed, name) !== undefined,
      },
    };
  return { choices: listed.filter(isPlain) satisfies readonly JsonValue[] };
}

function isPlain(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
