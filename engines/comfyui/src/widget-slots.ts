import { isArray, isObject, type Json, type JsonObject, writeJson } from './json.ts';
import {
  autogrow,
  choicesOf,
  chosenInputs,
  hasWidget,
  type InputSpec,
  matchChoice,
  type NodeClass,
  numberOption,
} from './object-info.ts';

/** The values of a node's widgets by the names of their inputs, or the reason why they are ambiguous. */
export type PlacedValues =
  | { readonly values: ReadonlyMap<string, Json>; readonly defaulted: readonly string[] }
  | { readonly error: string };

/** Words of the widget that changes a seed after each run. This widget comes after the seed. */
const controlWords = new Set(['fixed', 'increment', 'decrement', 'randomize', 'increment-wrap']);

/** Limit for examined layouts, complete ones and others. */
const maxSteps = 20_000;

/**
 * Finds the input for each value of `widgets_values`. The list has no names, and its content differs between versions.
 * So all layouts that the rules allow are tried, and the best one is used only if no other is equally good. `linked`
 * are the inputs that get their value by a link: their widget's value may be stale.
 */
export function placeValues(
  nodeClass: NodeClass,
  saved: { readonly values: Json; readonly namedValues: JsonObject | undefined },
  linked: ReadonlySet<string>,
): PlacedValues {
  if (saved.namedValues !== undefined) return pickByName(nodeClass, saved.namedValues);
  if (isObject(saved.values)) return pickByName(nodeClass, saved.values);
  const values = isArray(saved.values) ? saved.values : [];
  const widgets = nodeClass.inputs.filter((spec) => mayHaveSlot(spec));
  // The class has no input for the saved values of such a node: a preview, a text that was shown.
  if (widgets.length === 0) return { values: new Map(), defaulted: [] };
  const exact = bestLayouts(findLayouts(widgets, values, { linked, checkRange: true }));
  const layouts =
    exact.length > 0 ? exact : bestLayouts(findLayouts(widgets, values, { linked, checkRange: false }));
  const [layout] = layouts;
  if (layout === undefined)
    return { error: `its ${values.length} saved values do not fit the inputs of the class` };
  if (layouts.length > 1)
    return { error: `its saved values fit the inputs of the class in more than one way` };
  return { values: layout.values, defaulted: layout.defaulted };
}

function pickByName(nodeClass: NodeClass, named: JsonObject): PlacedValues {
  const values = new Map<string, Json>();
  const defaulted: string[] = [];
  const pick = (spec: InputSpec): void => {
    if (!mayHaveSlot(spec)) return;
    const value = named.get(spec.name);
    if (value !== undefined && value !== null) values.set(spec.name, value);
    else if (hasWidget(spec)) defaulted.push(spec.name);
    for (const child of chosenInputs(spec, value)) pick(child);
  };
  for (const spec of nodeClass.inputs) pick(spec);
  return { values, defaulted };
}

/** Returns whether an input may have a saved value. In old versions, inputs that only accept links had one too. */
function mayHaveSlot(spec: InputSpec): boolean {
  return spec.type !== autogrow && (hasWidget(spec) || isForced(spec));
}

function isForced(spec: InputSpec): boolean {
  return spec.options.get('forceInput') === true || spec.options.get('defaultInput') === true;
}

interface Layout {
  readonly values: ReadonlyMap<string, Json>;
  readonly defaulted: readonly string[];
  /** Number of values that their combos do not offer. */
  readonly misses: number;
  readonly at: number;
}

interface Rules {
  readonly linked: ReadonlySet<string>;
  readonly checkRange: boolean;
}

/** Returns the ways to continue a layout: what the next input may take. */
type Step = (layout: Layout, specs: readonly InputSpec[]) => [Layout, readonly InputSpec[]][];

/**
 * Returns all layouts that use every value. Only values at the end that belong to the window itself may be left over:
 * null, lists, objects, and the empty text of the preview below nodes that save or load animations.
 */
function findLayouts(specs: readonly InputSpec[], values: readonly Json[], rules: Rules): Layout[] {
  const found: Layout[] = [];
  const waiting: [Layout, readonly InputSpec[]][] = [
    [{ values: new Map(), defaulted: [], misses: 0, at: 0 }, withUploads(specs)],
  ];
  const step = stepFor(values, rules);
  for (let steps = 0; steps < maxSteps; steps++) {
    const next = waiting.pop();
    if (next === undefined) return found;
    const [layout, rest] = next;
    if (rest.length > 0) waiting.push(...step(layout, rest));
    else if (values.slice(layout.at).every(isNoValue)) found.push(layout);
  }
  // Too many layouts: the result would be uncertain.
  return [];
}

function isNoValue(value: Json): boolean {
  return value === null || value === '' || typeof value === 'object';
}

/** Slots without an input, after the required inputs: the button for an upload, the player for audio. */
const buttonType = 'button';
const playerButtons: Readonly<Record<string, number>> = { image_upload: 1, video_upload: 1, audio_upload: 2 };

function withUploads(specs: readonly InputSpec[]): InputSpec[] {
  const buttons = specs.flatMap((spec) =>
    Object.entries(playerButtons).flatMap(([option, count]) =>
      spec.options.get(option) === true ? Array.from({ length: count }, () => buttonOf(spec)) : [],
    ),
  );
  const optionalAt = specs.findIndex(({ required }) => !required);
  const at = optionalAt < 0 ? specs.length : optionalAt;
  return [...specs.slice(0, at), ...buttons, ...specs.slice(at)];
}

function buttonOf(spec: InputSpec): InputSpec {
  return { ...spec, name: '', type: buttonType };
}

function stepFor(values: readonly Json[], rules: Rules): Step {
  return (layout, [spec, ...rest]) => {
    if (spec === undefined) return [];
    const value = values[layout.at];
    const skipped: [Layout, readonly InputSpec[]] = [layout, rest];
    const passed: [Layout, readonly InputSpec[]] = [{ ...layout, at: layout.at + 1 }, rest];
    if (spec.type === buttonType) return value === undefined ? [skipped] : [skipped, passed];
    if (isForced(spec)) return value === undefined ? [skipped] : [skipped, passed];
    if (value === undefined || value === null || isPreviewText(spec, values, layout.at, rules)) {
      const absent = { ...layout, at: layout.at + (value === undefined ? 0 : 1) };
      return [
        [
          { ...absent, defaulted: [...layout.defaulted, spec.name] },
          [...chosenInputs(spec, defaultOf(spec)), ...rest],
        ],
      ];
    }
    if (!fits(spec, value, rules)) return [];
    const taken: Layout = {
      values: new Map([...layout.values, [spec.name, value]]),
      defaulted: layout.defaulted,
      misses: layout.misses + (isOffered(spec, value) ? 0 : 1),
      at: layout.at + 1,
    };
    const behind = [...chosenInputs(spec, value), ...rest];
    return [[taken, behind], ...controlSteps(spec, values, taken, behind)];
  };
}

/**
 * Returns whether the last value is the empty text of a preview, not the value of an input that the class gained later.
 */
function isPreviewText(spec: InputSpec, values: readonly Json[], at: number, rules: Rules): boolean {
  if (values[at] !== '' || at !== values.length - 1) return false;
  return spec.type === 'COMBO' ? !isOffered(spec, '') : !fits(spec, '', rules);
}

/** The control word follows a seed. For a combo with a control, the word and the filter of its list follow. */
function controlSteps(
  spec: InputSpec,
  values: readonly Json[],
  layout: Layout,
  rest: readonly InputSpec[],
): [Layout, readonly InputSpec[]][] {
  const control = spec.options.get('control_after_generate');
  const isControlled = control !== undefined && control !== false && control !== null;
  const isSeed = spec.type === 'INT' && (isControlled || spec.name === 'seed' || spec.name === 'noise_seed');
  const word = values[layout.at];
  if (
    (!isSeed && !(spec.type === 'COMBO' && isControlled)) ||
    typeof word !== 'string' ||
    !controlWords.has(word)
  )
    return [];
  const after = (slots: number): [Layout, readonly InputSpec[]] => [
    { ...layout, at: layout.at + slots },
    rest,
  ];
  const filter = values[layout.at + 1];
  return isSeed || typeof filter !== 'string' ? [after(1)] : [after(1), after(2)];
}

function fits(spec: InputSpec, value: Json, { linked, checkRange }: Rules): boolean {
  if (linked.has(spec.name)) return typeof value !== 'object';
  switch (spec.type) {
    case 'INT':
      return isNumber(value) && Number.isInteger(Number(value)) && (!checkRange || inRange(spec, value));
    case 'FLOAT':
      return isNumber(value) && (!checkRange || inRange(spec, value));
    case 'STRING':
    case 'TEXTAREA':
    case 'MARKDOWN':
      return typeof value === 'string';
    case 'BOOLEAN':
      return typeof value === 'boolean';
    case 'COMBO':
      return (
        typeof value === 'string' || isNumber(value) || isOffered(spec, value) || isChoiceList(spec, value)
      );
    case 'COMFY_DYNAMICCOMBO_V3':
      return isOffered(spec, value);
    default:
      return true;
  }
}

function isChoiceList(spec: InputSpec, value: Json): boolean {
  return (
    isArray(value) && (isObject(spec.options.get('multi_select')) || spec.options.get('multiselect') === true)
  );
}

function isOffered(spec: InputSpec, value: Json): boolean {
  const choices = choicesOf(spec);
  return choices === undefined || matchChoice(choices, value) !== undefined;
}

function isNumber(value: Json): value is number | bigint {
  return typeof value === 'number' || typeof value === 'bigint';
}

function inRange(spec: InputSpec, value: number | bigint): boolean {
  const min = numberOption(spec, 'min') ?? Number.NEGATIVE_INFINITY;
  const max = numberOption(spec, 'max') ?? Number.POSITIVE_INFINITY;
  return Number(value) >= min && Number(value) <= max;
}

/** Returns the layouts with the fewest missing values, then the fewest unknown choices. Equal layouts count once. */
function bestLayouts(layouts: readonly Layout[]): Layout[] {
  const rank = ({ defaulted, misses }: Layout): number => defaulted.length * 1000 + misses;
  const best = Math.min(...layouts.map(rank));
  const byText = new Map<string, Layout>();
  for (const layout of layouts) {
    if (rank(layout) === best) byText.set(writeJson(layout.values), layout);
  }
  return [...byText.values()];
}

/**
 * Returns the value of an input without a saved value: its default, else its first choice. Undefined if neither is
 * known.
 */
export function defaultOf(spec: InputSpec): Json | undefined {
  const given = spec.options.get('default');
  if (given !== undefined) return given;
  const [first] = choicesOf(spec) ?? [];
  if (first !== undefined) return first;
  return spec.options.get('socketless') === true ? null : undefined;
}
