import { type Finding, finding, lessSure, withoutRepeats } from './finding.ts';
import type { Sure } from './roles.ts';
import type { Sampler } from './find-samplers.ts';
import { type GraphNode, linkOf, nameOf } from './graph.ts';
import type { GraphView, ValueInput } from './graph-view.ts';
import { sameJson } from './json.ts';

/** Inputs for the text of an encoder. If a class has several, all of them are used. */
const textInputs = [
  'text',
  'prompt',
  'text_g',
  'text_l',
  't5xxl',
  'clip_g',
  'clip_l',
  'llama',
  'user_prompt',
];

interface FoundText extends ValueInput {
  readonly sure: Sure;
  readonly way: string;
}

export interface FoundTexts {
  readonly findings: readonly Finding[];
  /** Nodes with a guidance on the way to the prompt. */
  readonly guidance: readonly GraphNode[];
  /** True where the prompt's conditioning carries images that the model looks at. */
  readonly carriesImages: boolean;
}

/** Finds the prompt and the negative prompt: follows the conditioning of the samplers back to its texts. */
export function findTexts(view: GraphView, samplers: readonly Sampler[]): FoundTexts {
  const passed = new Set<GraphNode>();
  const prompts = samplers.flatMap((sampler) =>
    walkFrom(view, sampler, ['positive', 'cond1', 'conditioning'], 'positive', passed),
  );
  const negatives = samplers.flatMap((sampler) =>
    hasNegative(sampler) ? walkFrom(view, sampler, ['negative', 'cond2'], 'negative', new Set()) : [],
  );
  const findings = withoutRepeats([
    ...(prompts.length === 0 ? findByTitle(view) : []),
    ...chooseTexts(prompts).map((text) => finding('prompt', text, text.sure, `from ${text.way}`)),
    ...negatives.map((text) => finding('negative', text, text.sure, `from ${text.way}`)),
  ]);
  return {
    findings,
    guidance: [...passed].filter((node) => node.inputs.has('guidance')),
    carriesImages: [...passed].some((node) => carriesImage(view, node)),
  };
}

/** Finds texts for a graph without samplers of a known shape: by their titles, else each as a guess. */
function findByTitle(view: GraphView): Finding[] {
  const named = [...view.nodes].flatMap((node) => textsOf(view, node));
  const texts = named.length > 0 ? named : [...view.nodes].flatMap((node) => longTextsOf(view, node));
  const titled = texts.flatMap((text): Finding[] => {
    const title = text.node.title ?? '';
    const reason = `the title of ${nameOf(text.node)}`;
    if (/negative/i.test(title)) return [finding('negative', text, 'likely', reason)];
    return /positive|prompt/i.test(title) ? [finding('prompt', text, 'likely', reason)] : [];
  });
  if (titled.some(({ role }) => role === 'prompt')) return titled;
  const untitled = texts.filter(
    ({ node, input }) => !titled.some((one) => one.node === node.id && one.input === input),
  );
  const which = untitled.length === 1 ? 'the only text' : 'one of several texts';
  return [
    ...titled,
    ...untitled.map((text) => finding('prompt', text, 'guess', `${which}, in ${nameOf(text.node)}`)),
  ];
}

/** Returns texts of several lines, whatever the names of their inputs. */
function longTextsOf(view: GraphView, node: GraphNode): Text[] {
  return Array.from(node.inputs).flatMap(([input, value]): Text[] => {
    const spec = view.specOf(node, input);
    const isLong = spec?.type === 'STRING' && spec.options.get('multiline') === true;
    return isLong && typeof value === 'string' ? [{ node, input, value, sure: 'sure' }] : [];
  });
}

/** Returns whether the node carries an image that the model looks at, not an image for a mask or a control. */
function carriesImage(view: GraphView, node: GraphNode): boolean {
  if (node.classType === 'ReferenceLatent') return true;
  const takes = view.linksOfType(node, 'IMAGE').length > 0;
  return takes && !view.givesType(node, 'LATENT') && !node.inputs.has('control_net');
}

/** A cfg of 1 turns the negative prompt off. */
function hasNegative({ guide }: Sampler): boolean {
  return guide.inputs.get('cfg') !== 1;
}

function walkFrom(
  view: GraphView,
  { node, guide }: Sampler,
  inputs: readonly string[],
  side: string,
  passed: Set<GraphNode>,
): FoundText[] {
  const input = inputs.find((name) => linkOf(guide.inputs.get(name)) !== undefined);
  if (input === undefined) return [];
  return climb(view, guide, input, passed).map((text) => ({
    ...text,
    way: `${nameOf(node)}, ${side}`,
  }));
}

type Text = Omit<FoundText, 'way'>;

function climb(view: GraphView, node: GraphNode, input: string, passed: Set<GraphNode>): Text[] {
  const texts: Text[] = [];
  const waiting = [{ node, input }];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const origin = view.originOf(next.node, next.input);
    // Conditioning that is set to zero has no text, whatever comes before it.
    if (origin === undefined || passed.has(origin.node) || /ZeroOut/i.test(origin.node.classType)) continue;
    passed.add(origin.node);
    const own = textsOf(view, origin.node);
    texts.push(...own);
    if (own.length > 0) continue;
    const inputs = conditioningInputs(view, origin.node, origin.slot);
    waiting.push(...inputs.toReversed().map((one) => ({ node: origin.node, input: one })));
  }
  return texts;
}

/** A node with both sides gives the positive one at its first output and the negative one at its second. */
function conditioningInputs(view: GraphView, node: GraphNode, slot: number): string[] {
  const links = view.linksOfType(node, 'CONDITIONING').map(({ input }) => input);
  if (links.includes('positive') && links.includes('negative')) return [slot === 1 ? 'negative' : 'positive'];
  return links.filter((input) => input !== 'negative');
}

function textsOf(view: GraphView, node: GraphNode): Text[] {
  return textInputs.flatMap((input) => {
    const value = node.inputs.get(input);
    if (typeof value === 'string') return [{ node, input, value, sure: 'sure' as const }];
    const linked = linkOf(value) === undefined ? undefined : followText(view, node, input, 0);
    return linked === undefined ? [] : [linked];
  });
}

const maxTextHops = 20;

/** Follows a linked text to the node that holds it. If several texts are joined, the longest counts. */
function followText(view: GraphView, node: GraphNode, input: string, hops: number): Text | undefined {
  const place = view.valueOf(node, input);
  if (typeof place?.value === 'string') return { ...place, sure: 'sure' };
  const origin = view.originOf(node, input)?.node;
  if (origin === undefined || hops > maxTextHops) return undefined;
  const texts = Array.from(origin.inputs, ([name, value]) => ({
    node: origin,
    input: name,
    value,
  })).filter(
    ({ input: name, value }) =>
      typeof value === 'string' && view.specOf(origin, name)?.type !== 'COMBO' && name !== 'delimiter',
  );
  const linked = [...origin.inputs.keys()].flatMap((name) => {
    const isText = view.specOf(origin, name)?.type === 'STRING' || view.specOf(origin, name) === undefined;
    return isText && linkOf(origin.inputs.get(name)) !== undefined
      ? [followText(view, origin, name, hops + 1)]
      : [];
  });
  const all = [
    ...texts.map((text) => ({ ...text, sure: 'likely' as const })),
    ...linked.filter((one) => one !== undefined),
  ];
  const longest = all.toSorted((one, other) => lengthOf(other) - lengthOf(one))[0];
  return longest && { ...longest, sure: lessSure(longest.sure, 'likely') };
}

function lengthOf({ value }: ValueInput): number {
  return typeof value === 'string' ? value.length : 0;
}

/** Several encoders with the same text are one prompt. If the texts differ, the longest is probably the prompt. */
function chooseTexts(texts: readonly FoundText[]): FoundText[] {
  const nodes = new Set(texts.map(({ node }) => node));
  const filled = texts.filter(({ value }) => value !== '');
  const [first] = filled;
  if (nodes.size <= 1 || filled.every(({ value }) => sameJson(value, first?.value))) return [...texts];
  const longest = filled.toSorted((one, other) => lengthOf(other) - lengthOf(one))[0];
  return texts
    .filter(({ node, value }) => node === longest?.node || sameJson(value, longest?.value))
    .map((text) => ({ ...text, sure: lessSure(text.sure, 'likely') }));
}
