import type { MarkedInput } from './author-marks.ts';
import type { NamedInput } from './convert-workflow.ts';
import type { Finding } from './finding.ts';
import type { GraphView } from './graph-view.ts';
import { linkOf } from './graph.ts';
import { mediaLoaders, rowOf } from './known-nodes.ts';
import { type Role, roles } from './roles.ts';

/** Roles by the names that authors give to inputs. The patterns are tried in this order. */
const names: readonly (readonly [shape: RegExp, role: Role])[] = [
  [/negative/i, 'negative'],
  [/^(?:positive|prompt|text)\b|prompt$/i, 'prompt'],
  [/\bseed$/i, 'seed'],
  [/^width$/i, 'width'],
  [/^height$/i, 'height'],
  [/^(?:cfg|guidance)\b/i, 'cfg'],
  [/^(?:denoise|strength)$/i, 'strength'],
  [/mask/i, 'mask'],
  [/^(?:start|first)\b/i, 'start_image'],
  [/^(?:end|last)\b/i, 'end_image'],
  [/^reference/i, 'references'],
  [/^(?:input |source )?(?:image|picture|photo)$/i, 'image'],
];

/**
 * Uses the names that stand on the way to an input: the name of a promoted input, the title of a primitive. A name that
 * agrees with a finding makes the finding sure. Where nothing was found, the name makes a finding.
 */
export function applyNames(
  view: GraphView,
  findings: readonly Finding[],
  namedInputs: readonly NamedInput[],
): Finding[] {
  const result = [...findings];
  for (const { target, label } of namedInputs) {
    const role = roleOfName(view, target.node, target.input, label);
    const at = result.findIndex(({ node, input }) => node === target.node && input === target.input);
    const found = result[at];
    if (found !== undefined)
      result[at] = { ...found, label, ...(found.role === role ? { sure: 'sure' } : {}) };
    else if (role !== undefined && !result.some((one) => one.role === role)) {
      const value = view.graph.get(target.node)?.inputs.get(target.input);
      if (value !== undefined && linkOf(value) === undefined)
        result.push({ role, ...target, value, sure: 'likely', reason: `named "${label}"`, label });
    }
  }
  return result;
}

/**
 * Applies the author's marks: they name what is offered. What the walk found for the same input stays, and becomes
 * sure. If a mark names a role, only the mark has this role. An input without a role becomes an option.
 * `author-marks.ts` and `input-nodes.ts` find the marks.
 */
export function applyMarks(
  view: GraphView,
  findings: readonly Finding[],
  marks: readonly MarkedInput[],
): Finding[] {
  if (marks.length === 0) return [...findings];
  const marked: Finding[] = [];
  for (const mark of marks) {
    const holder = view.graph.get(mark.node);
    const place = holder && view.valueOf(holder, mark.input);
    if (
      place === undefined ||
      marked.some(({ node, input }) => node === place.node.id && input === place.input)
    )
      continue;
    const target = { node: place.node.id, input: place.input };
    const walked = findings.find(({ node, input }) => node === target.node && input === target.input);
    const role = roleOfMark(view, mark, walked);
    marked.push({
      role,
      ...target,
      value: place.value,
      sure: 'sure',
      reason: `marked by ${mark.by}`,
      label: mark.label,
      marked: true,
    });
  }
  const named = new Set(marked.map(({ role }) => role));
  const rest = findings.filter(
    ({ role, node, input }) =>
      !named.has(role) && !marked.some((one) => one.node === node && one.input === input),
  );
  const bySystem = marks.some(({ by }) => by !== 'its title');
  return [
    ...marked,
    ...rest.map((one): Finding =>
      bySystem && roles[one.role].offeredByDefault === true ? { ...one, sure: 'guess' } : one,
    ),
  ];
}

/**
 * Returns the role that a mark gives: the role that a title names, else the role that the walk found (except `steps`,
 * `scheduler`, `fps`), else the role of the name.
 */
function roleOfMark(view: GraphView, mark: MarkedInput, walked: Finding | undefined): Role {
  const byName = roleOfName(view, mark.node, mark.input, mark.label);
  if (mark.by === 'its title' && byName !== undefined) return byName;
  if (walked !== undefined && walked.role !== 'steps' && walked.role !== 'scheduler' && walked.role !== 'fps')
    return walked.role;
  return byName ?? 'option';
}

function roleOfName(view: GraphView, node: string, input: string, name: string): Role | undefined {
  const holder = view.graph.get(node);
  if (holder === undefined) return undefined;
  const isMedia = rowOf(mediaLoaders, holder.classType)?.input === input;
  const isText = typeof holder.inputs.get(input) === 'string';
  return names.find(([shape, role]) => {
    if (!shape.test(name.trim())) return false;
    const { holds } = roles[role];
    return holds === 'media' ? isMedia : !isMedia && isText === (holds === 'text');
  })?.[1];
}
