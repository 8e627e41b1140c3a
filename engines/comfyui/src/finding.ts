import type { ValueInput } from './graph-view.ts';
import type { Json } from './json.ts';
import type { Role, Sure } from './roles.ts';

export interface Finding {
  readonly role: Role;
  readonly node: string;
  readonly input: string;
  /** The value in the file. */
  readonly value: Json | undefined;
  readonly sure: Sure;
  /** Words for an operator: "from KSampler 3, positive". */
  readonly reason: string;
  /** The author's name for the input, if there is one. */
  readonly label?: string;
  /** True if the author has marked the input for users. */
  readonly marked?: true;
}

/** Returns the less sure one. */
export function lessSure(one: Sure, other: Sure): Sure {
  const order: readonly Sure[] = ['guess', 'likely', 'sure'];
  return order[Math.min(order.indexOf(one), order.indexOf(other))] ?? 'guess';
}

/** Creates a finding for the place of a value. */
export function finding(role: Role, { node, input, value }: ValueInput, sure: Sure, reason: string): Finding {
  return { role, node: node.id, input, value, sure, reason };
}

/** Returns the findings without those for an input that an earlier one names. */
export function withoutRepeats(findings: readonly Finding[]): Finding[] {
  const seen = new Set<string>();
  return findings.filter(({ node, input }) => {
    const key = `${node}.${input}`;
    return seen.has(key) ? false : seen.add(key);
  });
}
