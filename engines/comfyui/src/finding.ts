import type { ValueInput } from './graph-view.ts';
import type { Json } from './json.ts';
import type { Role, Sure } from './roles.ts';

export interface Finding {
  readonly role: Role;
  readonly node: string;
  readonly input: string;
  /** What the file has there. */
  readonly value: Json | undefined;
  readonly sure: Sure;
  /** Words for an operator: "from KSampler 3, positive". */
  readonly reason: string;
  /** The author's name for it, where there is one. */
  readonly label?: string;
  /** True where the author has marked it as one for users. */
  readonly marked?: true;
}

/** The less sure of two. */
export function lessSure(one: Sure, other: Sure): Sure {
  const order: readonly Sure[] = ['guess', 'likely', 'sure'];
  return order[Math.min(order.indexOf(one), order.indexOf(other))] ?? 'guess';
}

/** A finding at the place of a value. */
export function finding(role: Role, { node, input, value }: ValueInput, sure: Sure, reason: string): Finding {
  return { role, node: node.id, input, value, sure, reason };
}

/** The same without those that name the same input once more. */
export function withoutRepeats(findings: readonly Finding[]): Finding[] {
  const seen = new Set<string>();
  return findings.filter(({ node, input }) => {
    const key = `${node}.${input}`;
    return seen.has(key) ? false : seen.add(key);
  });
}
