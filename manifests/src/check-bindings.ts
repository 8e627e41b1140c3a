import type { Binding, JsonValue, Source } from '@renderkit/engine-kit/route.ts';
import { textOf } from '@renderkit/engine-kit/transform-value.ts';
import { broughtValues, checkMachine, isMedium, sourcesOf } from './check-machine.ts';
import { offeredSources, type OfferedSource, standsFor } from './offered-sources.ts';
import type { RouteCheck } from './check-context.ts';
import { readWorkflow, splitTarget } from './workflow-file.ts';

type Offered = ReadonlyMap<string, OfferedSource>;

/**
 * Checks the bindings of a route: everything offered is used, everything used is offered, and values fit their targets.
 * The last check needs a backend that has reported what its targets accept.
 */
export function checkBindings(check: RouteCheck): void {
  const { route, manifest, shapes } = check;
  const offered: Offered = offeredSources(manifest, route, shapes);
  for (const [target, binding] of Object.entries(route.set)) {
    checkForm(check, target, binding);
    checkSources(check, target, binding, offered);
    checkValues(check, target, binding, offered);
  }
  checkMachine(check, { withSteps: true });
  checkTargets(check);
  checkUnused(check, offered);
}

/** Checks what the binding alone shows. */
function checkForm({ add }: RouteCheck, target: string, binding: Binding): void {
  const path = ['set', target];
  const given = (['value', 'text', 'from'] as const).filter((key) => binding[key] !== undefined);
  if (given.length === 0)
    add('binding_missing', path, `${target} is set to nothing: say value, text or from.`);
  if (given.length > 1)
    add('type_mismatch', path, `${target} has ${given.join(' and ')}; one of them is enough.`);
  const changes = (['map', 'bands', 'scale', 'frames'] as const).filter((key) => binding[key] !== undefined);
  if (changes.length > 1)
    add('type_mismatch', path, `${target} has ${changes.join(' and ')}; at most one is taken.`);
  const { bands = [] } = binding;
  if (bands.some(({ below }, at) => (below === undefined) !== (at === bands.length - 1)))
    add('binding_unmapped', path, `${target}: every band but the last needs "below", and the last has none.`);
  if (
    bands.some(({ below = 0 }, at) => at > 0 && at < bands.length - 1 && below <= (bands[at - 1]?.below ?? 0))
  )
    add('binding_range', path, `${target}: bands have to rise.`);
  const sources = sourcesOf(binding);
  const media = sources.filter(isMedium);
  if (media.length === 0) {
    if (binding.picture !== undefined) add('type_mismatch', path, `${target}: "picture" is for media.`);
    return;
  }
  if (binding.text !== undefined || media.length < sources.length)
    add(
      'type_mismatch',
      path,
      `${target}: ${media.join(', ')} cannot be part of a text or stand beside values.`,
    );
  if (changes.length > 0) add('type_mismatch', path, `${target}: media take no ${changes.join(', ')}.`);
  if (binding.default !== undefined && binding.default !== 'white' && binding.default !== 'black')
    add('choice_unknown', path, `${target}: what stands for a medium is white or black.`);
}

function checkSources({ add }: RouteCheck, target: string, binding: Binding, offered: Offered): void {
  const unknown = sourcesOf(binding).filter((source) => !offered.has(source));
  // A list of media may contain one that no request has. For requests without a mask, a route has a substitute.
  const isPartly = unknown.length < sourcesOf(binding).length && binding.text === undefined;
  for (const source of unknown)
    if (!isPartly || !isMedium(source))
      add(
        'binding_unused',
        ['set', target],
        `${target} uses ${source}, which no request that it takes can have.`,
      );
}

/** Checks that the binding can convert every possible value. */
function checkValues({ add }: RouteCheck, target: string, binding: Binding, offered: Offered): void {
  const { map, text } = binding;
  const sources = sourcesOf(binding);
  if (map !== undefined && text === undefined && !sources.some(isMedium))
    for (const source of sources)
      checkMap({ add }, target, { ...binding, map }, source, offered.get(source)?.choices ?? []);
  const told = new Set<string | undefined>();
  for (const brought of broughtValues(binding, offered)) {
    if (!('error' in brought) || told.has(brought.source)) continue;
    told.add(brought.source);
    const message = `${target} cannot take ${textOf(brought.value)}: ${brought.error}`;
    add('binding_range', ['set', target], message);
  }
}

/** Checks that a map has an entry for every choice, and no other entries. */
function checkMap(
  { add }: Pick<RouteCheck, 'add'>,
  target: string,
  { map, from }: Binding & { map: NonNullable<Binding['map']> },
  source: string,
  choices: readonly JsonValue[],
): void {
  const path = ['set', target];
  const names = choices.map(textOf);
  if (names.length === 0) {
    add(
      'binding_unmapped',
      path,
      `${target}: ${source} is no choice among a few values; a map cannot cover it.`,
    );
    return;
  }
  const lacking = names.filter((choice) => !Object.hasOwn(map, choice));
  if (lacking.length > 0)
    add('binding_unmapped', path, `${target}: the map has nothing for ${source} ${lacking.join(', ')}.`);
  const spare = Array.isArray(from) ? [] : Object.keys(map).filter((key) => !names.includes(key));
  if (spare.length > 0) add('binding_unused', path, `${target}: ${source} is never ${spare.join(', ')}.`);
}

/** Checks that targets exist: inputs of named nodes, or pointers that do not overwrite each other. */
function checkTargets(check: RouteCheck): void {
  const { route, add } = check;
  if (route.engine === 'comfyui') return checkInputs(check);
  if (route.engine === 'command') return;
  const targets = Object.keys(route.set);
  for (const target of targets) {
    if (!target.startsWith('/'))
      add('type_mismatch', ['set', target], `${target} is no pointer into the body: it has to begin with /.`);
    const within = targets.find((other) => target.startsWith(`${other}/`));
    if (within !== undefined)
      add('type_mismatch', ['set', target], `${target} lies within ${within}, which is set too.`);
  }
}

function checkInputs(check: RouteCheck): void {
  const { route, files, add, machine } = check;
  const graph = readWorkflow(files.get(route.workflow ?? '') ?? '');
  const specs = machine?.targetsOf(route);
  for (const [target, binding] of Object.entries(route.set)) {
    const path = ['set', target];
    const [name, input] = splitTarget(target);
    const node = route.nodes?.[name];
    if (node === undefined) {
      add('node_missing', path, `${target}: there is no node named ${name}.`);
      continue;
    }
    const found = graph?.get(node.id)?.inputs.get(input);
    if (found === 'link' && binding.replace !== true)
      add(
        'type_mismatch',
        path,
        `${target} is linked to another node; say "replace: true" where you mean to cut that.`,
      );
    const isKnown = specs === undefined ? found !== undefined : specs.has(target);
    if (graph?.has(node.id) === true && !isKnown)
      add('input_missing', path, `${target}: ${node.class} ${node.id} has no input ${input}.`);
  }
}

/** Reports what a user can request but a route does not use. */
function checkUnused({ route, shapes, add }: RouteCheck, offered: Offered): void {
  const bound = Object.values(route.set).flatMap(sourcesOf);
  const used = new Set([...bound, ...bound.flatMap((source) => standsFor[source as Source] ?? [])]);
  for (const [source, { required }] of offered)
    if (required && !used.has(source)) add('binding_missing', ['set'], unusedMessage(source));
  const ratios = offered.get('aspect_ratio')?.choices ?? [];
  const sized = ['width', 'height', 'aspect_ratio', 'short_side', 'image', 'start_image', 'source_video'];
  const isAsked = shapes.some(({ kind }) => kind === 'image' || kind === 'video');
  if (isAsked && ratios.length > 1 && !sized.some((source) => used.has(source)))
    add(
      'binding_missing',
      ['set'],
      `the model offers ${ratios.length} ratios, and nothing here uses one: bind width and height, or offer the one that it makes.`,
    );
}

function unusedMessage(source: string): string {
  if (source.startsWith('options.')) return `the option ${source.slice('options.'.length)} does nothing.`;
  if (source === 'outputs') return 'it makes several in one job, and nothing says how many: bind "outputs".';
  return `${source} can be asked for, and nothing here uses it.`;
}
