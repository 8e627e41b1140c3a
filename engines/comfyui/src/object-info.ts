import { isArray, isObject, type Json, type JsonObject, sameJson } from './json.ts';

/** The node classes of a ComfyUI: its answer to `GET /object_info`. */
export type ObjectInfo = ReadonlyMap<string, NodeClass>;

export interface NodeClass {
  readonly name: string;
  /** In the order in which a node shows them: required inputs, then optional inputs. */
  readonly inputs: readonly InputSpec[];
  /** Types of the outputs, by slot. */
  readonly outputs: readonly string[];
  /** True for results: ComfyUI runs only the nodes that such nodes need. */
  readonly isOutput: boolean;
  /** Runs on a paid service of ComfyUI's makers. */
  readonly isPaid: boolean;
  readonly deprecated: boolean;
  readonly experimental: boolean;
}

export interface InputSpec {
  readonly name: string;
  readonly required: boolean;
  /**
   * INT, FLOAT, STRING, BOOLEAN, COMBO, or a type that only links carry: IMAGE, MODEL. `A,B` means either, `*` means
   * any.
   */
  readonly type: string;
  /** The choices of a COMBO, if they are known. Undefined if the browser requests them. */
  readonly choices: readonly Json[] | undefined;
  readonly options: JsonObject;
}

/** Types of inputs with a widget, where a value can be entered. Other inputs only accept links. */
const widgetTypes = new Set([
  'INT',
  'FLOAT',
  'STRING',
  'BOOLEAN',
  'COMBO',
  'COMFY_DYNAMICCOMBO_V3',
  'MARKDOWN',
  'TEXTAREA',
  'COLOR',
  'COLORS',
  'CURVE',
  'BOUNDING_BOX',
  'RANGE',
  'CHART',
  'GALLERIA',
  'IMAGECOMPARE',
  'IMAGECROP',
  'PAINTER',
  'LOAD_3D',
  'LOAD_3D_ANIMATION',
  'WEBCAM',
  'AUDIO_RECORD',
  'FILEUPLOAD',
]);

export const dynamicCombo = 'COMFY_DYNAMICCOMBO_V3';
export const autogrow = 'COMFY_AUTOGROW_V3';

/** Reads the answer of `/object_info` or of `/object_info/CLASS`. Leaves out entries that are not classes. */
export function readObjectInfo(answer: Json): ObjectInfo {
  const classes = new Map<string, NodeClass>();
  if (!isObject(answer)) return classes;
  for (const [name, value] of answer) {
    if (isObject(value) && isObject(value.get('input'))) classes.set(name, readClass(name, value));
  }
  return classes;
}

function readClass(name: string, value: JsonObject): NodeClass {
  const outputs = value.get('output');
  return {
    name,
    inputs: readInputs(value.get('input'), value.get('input_order')),
    outputs: isArray(outputs) ? outputs.map(typeName) : [],
    isOutput: value.get('output_node') === true,
    isPaid: value.get('api_node') === true,
    deprecated: value.get('deprecated') === true,
    experimental: value.get('experimental') === true,
  };
}

function readInputs(input: Json | undefined, order: Json | undefined): InputSpec[] {
  if (!isObject(input)) return [];
  return ['required', 'optional'].flatMap((section) => {
    const specs = input.get(section);
    if (!isObject(specs)) return [];
    const named = isObject(order) ? order.get(section) : undefined;
    const names = isArray(named) ? named.filter((one) => typeof one === 'string') : [...specs.keys()];
    return names.flatMap((name) => {
      const spec = readInput(name, specs.get(name), section === 'required');
      return spec === undefined ? [] : [spec];
    });
  });
}

/**
 * Reads an input. One answer contains both forms of a list: `[["a", "b"], {…}]` and `["COMBO", {options: ["a", "b"]}]`.
 */
function readInput(name: string, spec: Json | undefined, required: boolean): InputSpec | undefined {
  if (!isArray(spec)) return undefined;
  const [type, given] = spec;
  const options: JsonObject = isObject(given) ? given : new Map();
  if (isArray(type)) return { name, required, type: 'COMBO', choices: type, options };
  if (typeof type !== 'string') return undefined;
  const listed = options.get('options');
  const choices = type === 'COMBO' && isArray(listed) && !options.has('remote') ? listed : undefined;
  return { name, required, type, choices, options };
}

function typeName(type: Json): string {
  return typeof type === 'string' ? type : 'COMBO';
}

/** Returns true if a value can be entered, false if the input only accepts a link. */
export function hasWidget(spec: InputSpec): boolean {
  if (spec.options.get('forceInput') === true || spec.options.get('defaultInput') === true) return false;
  return widgetTypes.has(spec.type) || spec.options.get('socketless') === true;
}

/** Returns the inputs that belong to the chosen option of a dynamic combo, named `parent.child`. */
export function chosenInputs(spec: InputSpec, chosen: Json | undefined): InputSpec[] {
  const options = spec.options.get('options');
  if (spec.type !== dynamicCombo || !isArray(options)) return [];
  const option = options.find((one) => isObject(one) && sameJson(one.get('key'), chosen));
  if (!isObject(option)) return [];
  return readInputs(option.get('inputs'), undefined).map((child) => ({
    ...child,
    name: `${spec.name}.${child.name}`,
  }));
}

/** Returns the values that a combo offers, also for a dynamic combo. Undefined if they are not known. */
export function choicesOf(spec: InputSpec): readonly Json[] | undefined {
  if (spec.type !== dynamicCombo) return spec.choices;
  const options = spec.options.get('options');
  return isArray(options)
    ? options.flatMap((one) => (isObject(one) ? [one.get('key') ?? null] : []))
    : undefined;
}

/** Returns all inputs of a class for given values, including the inputs of chosen options of dynamic combos. */
export function inputsOf(nodeClass: NodeClass, values: ReadonlyMap<string, Json>): InputSpec[] {
  const expand = (spec: InputSpec): InputSpec[] => [
    spec,
    ...chosenInputs(spec, values.get(spec.name)).flatMap(expand),
  ];
  return nodeClass.inputs.flatMap(expand);
}

/**
 * Returns the specification of an input by its name, or undefined if the class has no such input. Also finds dotted
 * names of inputs that grow below an input: `images.image0`.
 */
export function findInput(
  nodeClass: NodeClass,
  name: string,
  values: ReadonlyMap<string, Json> = new Map(),
): InputSpec | undefined {
  const inputs = inputsOf(nodeClass, values);
  const spec = inputs.find((one) => one.name === name);
  if (spec !== undefined) return spec;
  const parent = inputs.find((one) => one.type === autogrow && name.startsWith(`${one.name}.`));
  return parent && grownInput(parent, name);
}

/** Returns one of the inputs that an input adds when links are connected to it. */
function grownInput(parent: InputSpec, name: string): InputSpec {
  const template = parent.options.get('template');
  const input = isObject(template) ? template.get('input') : undefined;
  const [first] = readInputs(input, undefined);
  return first === undefined
    ? { ...parent, name, required: false, type: '*' }
    : { ...first, name, required: false };
}

/**
 * Returns the choice that a value means: an equal one, one that differs only in case or in `\` and `/`, or the only one
 * with the same file name. Returns undefined if there is none.
 */
export function matchChoice(choices: readonly Json[], value: Json): Json | undefined {
  const same = choices.find((choice) => sameJson(choice, value));
  if (same !== undefined || typeof value !== 'string') return same;
  const texts = choices.filter((choice) => typeof choice === 'string');
  for (const fold of [lower, lowerPath]) {
    const found = texts.find((choice) => fold(choice) === fold(value));
    if (found !== undefined) return found;
  }
  const byName = texts.filter((choice) => baseName(choice) === baseName(value));
  return isFileName(value) && byName.length === 1 ? byName[0] : undefined;
}

/** Returns true for the file name of model weights. */
export function isFileName(value: Json | undefined): value is string {
  return typeof value === 'string' && /\.(?:safetensors|ckpt|pt|pth|bin|sft|onnx|gguf)$/i.test(value);
}

const lower = (text: string): string => text.toLowerCase();
const lowerPath = (text: string): string => lower(text).replaceAll('\\', '/');
const baseName = (text: string): string => lowerPath(text).replace(/^.*\//, '');

/** Returns a number among an input's options: `min`, `max`, `step`. */
export function numberOption(spec: InputSpec, name: string): number | undefined {
  const value = spec.options.get(name);
  return typeof value === 'number' || typeof value === 'bigint' ? Number(value) : undefined;
}

/**
 * Returns true if an output of one type may be linked to an input of the other. `A,B` means either, `*` and an empty
 * type mean any.
 */
export function typesMeet(one: string, other: string): boolean {
  const [first, second] = [one, other].map((type) =>
    type
      .toUpperCase()
      .split(',')
      .map((part) => part.trim()),
  );
  if (first === undefined || second === undefined) return true;
  const any = (types: readonly string[]): boolean => types.some((type) => type === '*' || type === '');
  return any(first) || any(second) || first.some((type) => second.includes(type));
}
