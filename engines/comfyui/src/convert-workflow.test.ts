import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { coreClasses, type Plain } from './testing/core-classes.ts';
import { type ConvertedWorkflow, convertWorkflow, readNotes } from './convert-workflow.ts';
import { writeGraph } from './graph.ts';
import { isObject, readJson, writeJson } from './json.ts';
import { readUiWorkflow } from './ui-workflow.ts';
import { WorkflowError } from './workflow-error.ts';

const folder = path.resolve(import.meta.dirname, '../fixtures/conversions');
const textOf = (name: string): string => readFileSync(path.join(folder, name), 'utf8');

function convert(text: string): ConvertedWorkflow {
  const file = readJson(text);
  assert.ok(isObject(file));
  return convertWorkflow(readUiWorkflow(file), coreClasses);
}

/** Changes the nodes of a fixture, then converts it. */
function convertChanged(name: string, change: (node: Record<string, unknown>) => void): ConvertedWorkflow {
  const file = JSON.parse(textOf(`${name}.ui.json`)) as { nodes: Record<string, unknown>[] };
  file.nodes.forEach(change);
  return convert(JSON.stringify(file));
}

const withProblem = (code: string, words: RegExp) => (error: unknown) =>
  error instanceof WorkflowError &&
  error.problems.some((one) => one.code === code && words.test(one.message));

const cases = readdirSync(folder).filter((name) => name.endsWith('.api.json'));

for (const name of cases.map((file) => file.replace('.api.json', ''))) {
  test(`converts to the graph that the editor would queue: ${name}`, () => {
    const { graph, warnings } = convert(textOf(`${name}.ui.json`));
    // The order of keys in JSON objects only matters for the comparison of two imports.
    assert.deepEqual(plain(writeGraph(graph)), plain(textOf(`${name}.api.json`)));
    assert.deepEqual(warnings, []);
  });
}

/** Returns the JSON as an object for comparison, with large integers as text to keep their digits. */
function plain(text: string): unknown {
  return JSON.parse(writeJson(readJson(text)).replaceAll(/(?<=:)\d{16,}/g, '"$&"'));
}

test('there is a pair for every shape of workflow that is known to break converters', () => {
  assert.equal(cases.length, 21);
});

test('the digits of a 64-bit seed are in the text that is sent', () => {
  assert.match(writeGraph(convert(textOf('seed-64-bit.ui.json')).graph), /"seed":18446744073709551615,/);
});

test('a group node is refused by name, with what to do', () => {
  assert.throws(
    () => convert(textOf('group-node.ui.json')),
    withProblem('group_node', /Convert it to a subgraph/),
  );
});

test('nodes that lay links when the workflow is queued are refused', () => {
  const change = (node: Record<string, unknown>) => {
    if (node['type'] === 'Note') node['type'] = 'Anything Everywhere';
  };
  assert.throws(() => convertChanged('plain', change), withProblem('unsupported_node', /Export \(API\)/));
});

test('values that fit no layout, or more than one, are refused with the name of the node', () => {
  const change = (values: Plain) => (node: Record<string, unknown>) => {
    if (node['type'] === 'KSampler') node['widgets_values'] = values;
  };
  const noFit = withProblem('unsupported_node', /KSampler 3: its 7 saved values do not fit/);
  assert.throws(
    () => convertChanged('plain', change([5, 'randomize', 'x', 6.5, 'euler', 'normal', 1])),
    noFit,
  );
  const tooMany = [5, 'randomize', 20, 6.5, 'euler', 'normal', 1, 7];
  assert.throws(
    () => convertChanged('plain', change(tooMany)),
    withProblem('unsupported_node', /8 saved values/),
  );
});

test('a value that only its range speaks against is placed, for the check to name it', () => {
  const { graph } = convertChanged('plain', (node) => {
    if (node['type'] === 'KSampler') node['widgets_values'] = [5, 'fixed', 20, 500, 'euler', 'normal', 1];
  });
  assert.equal(graph.get('3')?.inputs.get('cfg'), 500);
});

for (const name of cases.map((file) => file.replace('.api.json', '')))
  test(`the empty text that a preview leaves behind the values changes nothing: ${name}`, () => {
    const addEmpty = ({ widgets_values: values }: Record<string, unknown>) =>
      Array.isArray(values) && values.length > 0 && values.push('');
    const [changed, own] = [addEmpty, () => undefined].map((change) => convertChanged(name, change));
    assert.equal(writeGraph(changed?.graph ?? new Map()), writeGraph(own?.graph ?? new Map()));
  });

test('an empty text at the end is no value of an input that the class has had only since', () => {
  const change = (node: Record<string, unknown>) => {
    if (node['type'] === 'KSampler')
      node['widgets_values'] = [5, 'randomize', 20, 6.5, 'euler', 'normal', ''];
  };
  const { graph, warnings } = convertChanged('plain', change);
  assert.equal(graph.get('3')?.inputs.get('denoise'), 1);
  assert.equal(warnings.length, 1);
});

test('values that are missing at the end become defaults, with a warning', () => {
  const { graph, warnings } = convertChanged('plain', (node) => {
    if (node['type'] === 'KSampler') node['widgets_values'] = [5, 'fixed', 20, 6.5, 'euler'];
  });
  assert.equal(graph.get('3')?.inputs.get('denoise'), 1);
  assert.equal(graph.get('3')?.inputs.get('scheduler'), 'simple');
  assert.deepEqual(
    warnings.map(({ message }) => message.match(/"(\w+)"/)?.[1]),
    ['scheduler', 'denoise'],
  );
});

test('an unknown node is an error where a result needs it, and a warning where none does', () => {
  const rename = (type: string) => (node: Record<string, unknown>) => {
    if (node['type'] === type)
      Object.assign(node, { type: 'Mystery', properties: { cnr_id: 'pack', ver: '1.6.1' } });
  };
  assert.throws(
    () => convertChanged('plain', rename('VAEDecode')),
    withProblem('node_missing', /in pack 1\.6\.1/),
  );
  assert.throws(() => convertChanged('plain', rename('SaveImage')), withProblem('node_missing', /Mystery/));
  const { warnings } = convertChanged('mute', rename('ImageScale'));
  assert.equal(warnings.length, 1);
});

test('what is not connected, or to nothing that runs, is named', () => {
  const mute = (node: Record<string, unknown>) => {
    if (node['id'] === 6) node['mode'] = 2;
  };
  assert.throws(() => convertChanged('plain', mute), withProblem('input_missing', /KSampler 3.*"positive"/));
  const silent = (node: Record<string, unknown>) => {
    if (node['type'] === 'SaveImage') node['mode'] = 2;
  };
  assert.throws(() => convertChanged('plain', silent), withProblem('no_output', /no node that saves/));
});

test('a Get without its Set, or with two of them, is an error', () => {
  const rename = (node: Record<string, unknown>) => {
    if (node['type'] === 'SetNode') node['widgets_values'] = ['other'];
  };
  assert.throws(
    () => convertChanged('set-get', rename),
    withProblem('unsupported_node', /no SetNode has that name/),
  );
});

test('names that the author gave to inputs are kept with what they lead to', () => {
  const promoted = convert(textOf('promoted-widget.ui.json')).namedInputs;
  assert.deepEqual(
    promoted.find(({ widget }) => widget === 'text'),
    { node: '6', widget: 'text', label: 'What to show', target: { node: '6:1', input: 'text' } },
  );
  const unset = convertChanged('promoted-proxy-widget', (node) => {
    if (node['id'] === 6) node['widgets_values'] = [];
  });
  assert.equal(unset.graph.get('6:1')?.inputs.get('text'), 'a lake');
  assert.deepEqual(unset.namedInputs[0]?.target, { node: '6:1', input: 'text' });
  const [primitive] = convert(textOf('primitive.ui.json')).namedInputs;
  assert.equal(primitive?.label, 'Dice');
});

test('notes are collected', () => {
  const file = readJson(textOf('plain.ui.json'));
  assert.ok(isObject(file));
  assert.deepEqual(readNotes(readUiWorkflow(file)), ['Take a portrait format.']);
});

test('subgraphs within themselves and circles of links end in a sentence', () => {
  const subgraph = (inner: string) => ({ id: inner, nodes: [{ id: 1, type: inner }], links: [] });
  const endless = {
    nodes: [{ id: 1, type: 'a' }],
    links: [],
    definitions: { subgraphs: [subgraph('a')] },
  };
  assert.throws(() => convert(JSON.stringify(endless)), withProblem('cycle', /contains itself/));
  const wide = {
    nodes: [{ id: 1, type: 's0' }],
    links: [],
    definitions: {
      subgraphs: Array.from({ length: 12 }, (_, level) => ({
        id: `s${level}`,
        nodes: Array.from({ length: 12 }, (__, id) => ({ id, type: `s${level + 1}` })),
        links: [],
      })),
    },
  };
  assert.throws(() => convert(JSON.stringify(wide)), withProblem('not_a_workflow', /more than 5000 nodes/));
  const circle = {
    nodes: [
      {
        id: 1,
        type: 'SaveImage',
        inputs: [{ name: 'images', type: 'IMAGE', link: 1 }],
        widgets_values: ['x'],
      },
      { id: 2, type: 'Reroute', inputs: [{ name: '', type: '*', link: 2 }] },
    ],
    links: [
      [1, 2, 0, 1, 0, 'IMAGE'],
      [2, 2, 0, 2, 0, '*'],
    ],
  };
  assert.throws(() => convert(JSON.stringify(circle)), withProblem('cycle', /circle/));
});
