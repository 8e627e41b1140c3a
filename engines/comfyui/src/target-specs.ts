import type { JsonValue, Route } from '@renderkit/engine-kit/route.ts';
import type { TargetSpec, TargetSpecs } from '@renderkit/engine-kit/target-spec.ts';
import { placeOf } from './assemble-graph.ts';
import type { Graph } from './graph.ts';
import {
  choicesOf,
  findInput,
  type InputSpec,
  isFileName,
  numberOption,
  type ObjectInfo,
} from './object-info.ts';

/**
 * What the inputs that a route sets take, by the classes of a ComfyUI. @throws EngineFailure blame `pair` where a target is
 * none of the route's nodes
 */
export function targetSpecs(route: Route, graph: Graph, classes: ObjectInfo): TargetSpecs {
  return new Map(
    Object.keys(route.set).flatMap((target): [string, TargetSpec][] => {
      const { node: id, input } = placeOf(route, target);
      const node = graph.get(id);
      const nodeClass = node && classes.get(node.classType);
      const spec = nodeClass && findInput(nodeClass, input, node?.inputs ?? new Map());
      return spec === undefined ? [] : [[target, specOf(spec)]];
    }),
  );
}

const types: Readonly<Record<string, TargetSpec['type']>> = {
  INT: 'int',
  FLOAT: 'float',
  STRING: 'string',
  BOOLEAN: 'bool',
};

function specOf(spec: InputSpec): TargetSpec {
  const min = numberOption(spec, 'min');
  const max = numberOption(spec, 'max');
  // Files go by other spellings on other machines.
  const choices = choicesOf(spec)?.filter(
    (choice) => typeof choice === 'string' || typeof choice === 'number',
  );
  const isFixed = choices !== undefined && choices.length > 0 && !choices.some(isFileName);
  return {
    type: types[spec.type] ?? 'other',
    ...(min !== undefined && { min }),
    ...(max !== undefined && { max }),
    ...(isFixed && { choices: choices satisfies readonly JsonValue[] }),
  };
}
