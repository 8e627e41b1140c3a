import { kindFacts } from '@renderkit/contract/studio/kinds.ts';
import { measuredUnits } from '@renderkit/engine-kit/measured-cost.ts';
import type { Amount, EngineName } from '@renderkit/engine-kit/route.ts';
import { valuesOfOption } from './accepted-requests.ts';
import type { RouteCheck } from './check-context.ts';
import { readWorkflow, splitTarget } from './workflow-file.ts';

/**
 * Checks a route's own settings: which requests it takes, its outputs, its cost, its workflow or its command.
 * `read-manifest.ts` checks which keys its engine may have. `check-bindings.ts` checks that the route uses everything that
 * the model offers.
 */
export function checkRoute(check: RouteCheck): void {
  checkFor(check);
  checkOutputs(check);
  checkCost(check);
  if (check.route.engine === 'comfyui') checkWorkflow(check);
  if (check.route.engine === 'command') checkCommand(check);
  checkDelay(check);
}

function checkFor({ route, manifest, shapes, add }: RouteCheck): void {
  for (const [key, value] of Object.entries(route.for?.options ?? {})) {
    const option = manifest.parameters.options.find((one) => one.key === key);
    const values = option && valuesOfOption(option);
    if (option === undefined) add('choice_unknown', ['for', 'options', key], `there is no option ${key}.`);
    else if (values === undefined)
      add('choice_unknown', ['for', 'options', key], `${key} is no choice among a few values.`);
    else if (!values.includes(value))
      add('choice_unknown', ['for', 'options', key], `the option ${key} is never ${value}.`);
  }
  if (shapes.length === 0) add('binding_unused', ['for'], 'it takes no request that the model accepts.');
}

/** The key that names outputs, by engine; `undefined` where the protocol has only one place for them. */
const outputKeys: Record<EngineName, 'from' | 'at' | 'files' | undefined> = {
  comfyui: 'from',
  'openai-images': 'at',
  'openai-videos': undefined,
  a1111: 'at',
  fal: 'at',
  replicate: 'at',
  command: 'files',
  procedural: undefined,
  sandbox: undefined,
};

function checkOutputs({ route: { engine, outputs }, shapes, add }: RouteCheck): void {
  const kindsMade = new Set(shapes.map(({ kind }) => (kindFacts[kind].lane === 'video' ? 'video' : 'image')));
  for (const made of kindsMade)
    if (made !== outputs.kind)
      add('no_output', ['outputs'], `its requests want ${made}, and it makes ${outputs.kind}.`);
  const key = outputKeys[engine];
  if (key !== undefined && outputs[key] === undefined)
    add('no_output', ['outputs'], `outputs of ${engine} need "${key}".`);
  for (const name of ['from', 'at', 'files'] as const)
    if (outputs[name] !== undefined && name !== key)
      add('unknown_key', ['outputs', name], `outputs of ${engine} have no "${name}".`);
}

function isMeasured(engine: string): engine is keyof typeof measuredUnits {
  return Object.hasOwn(measuredUnits, engine);
}

const amounts = ['per_render', 'per_output', 'per_second', 'per_megapixel'] as const;

function checkCost({ route, manifest, add }: RouteCheck): void {
  const { cost } = route;
  if (cost === undefined) return;
  if (amounts.every((name) => cost[name] === undefined))
    add('input_missing', ['cost'], `a cost needs one of ${amounts.join(', ')}.`);
  const told: readonly string[] = isMeasured(route.engine) ? measuredUnits[route.engine] : [];
  for (const name of Object.keys(cost.measured ?? {}))
    if (!told.includes(name))
      add(
        'unknown_key',
        ['cost', 'measured', name],
        `answers of ${route.engine} do not tell what ${name} counts.`,
      );
  for (const name of amounts) {
    const amount: Amount | undefined = cost[name];
    if (amount === undefined || typeof amount === 'number') continue;
    const { by, values } = amount;
    const option = manifest.parameters.options.find(({ key }) => `options.${key}` === by);
    const choices = by === 'mode' ? ['transform', 'inpaint'] : option && valuesOfOption(option);
    if (choices === undefined) {
      add('choice_unknown', ['cost', name], `its cost depends on ${by}, which is no choice that is offered.`);
      continue;
    }
    const lacking = choices.filter((choice) => !Object.hasOwn(values, choice));
    if (lacking.length > 0)
      add('binding_unmapped', ['cost', name], `${name} has no amount for ${by} ${lacking.join(', ')}.`);
  }
}

function checkWorkflow({ route, files, add }: RouteCheck): void {
  const { workflow = '', nodes = {}, outputs, requires } = route;
  for (const [at, name] of (outputs.from ?? []).entries())
    if (nodes[name] === undefined)
      add('no_output', ['outputs', 'from', at], `there is no node named ${name}.`);
  const text = files.get(workflow);
  if (text === undefined) {
    add('file_missing', ['workflow'], `the file ${workflow} is missing beside the manifest.`);
    return;
  }
  const graph = readWorkflow(text);
  if (graph === undefined) {
    add('not_a_workflow', ['workflow'], `${workflow} is no workflow in API format.`);
    return;
  }
  for (const [name, { id, class: className }] of Object.entries(nodes)) {
    const found = graph.get(id);
    if (found === undefined)
      add('node_missing', ['nodes', name], `${workflow} has no node ${id}, which is called ${name} here.`);
    else if (found.className !== className)
      add('node_missing', ['nodes', name], `node ${id} is a ${found.className}, not a ${className}.`);
  }
  for (const [at, { input }] of (requires?.models ?? []).entries()) {
    const [name, rest] = splitTarget(input);
    const node = graph.get(nodes[name]?.id ?? '');
    if (node === undefined || !node.inputs.has(rest))
      add('input_missing', ['requires', 'models', at], `there is no ${input} in ${workflow}.`);
  }
}

function checkCommand({ route, add }: RouteCheck): void {
  const { run = [], env = {}, set } = route;
  const words = [...run, ...Object.values(env)];
  const named = new Set(
    words.flatMap((word) => Array.from(word.matchAll(/\{([\w.-]+)\}/g), ([, name = '']) => name)),
  );
  if (!named.has('out'))
    add('no_output', ['run'], 'its words never name {out}, the folder in which results are looked for.');
  for (const name of named)
    if (name !== 'out' && set[name] === undefined)
      add('binding_missing', ['run'], `{${name}} is a word of the command, and nothing sets it.`);
  for (const name of Object.keys(set))
    if (!named.has(name)) add('binding_unused', ['set', name], `no word of the command has {${name}}.`);
}

function checkDelay({ route, manifest, add }: RouteCheck): void {
  const { delay_option: key } = route;
  const option = manifest.parameters.options.find((one) => one.key === key);
  if (key !== undefined && option?.type !== 'slider')
    add('choice_unknown', ['delay_option'], `there is no slider ${key} among the options.`);
}
