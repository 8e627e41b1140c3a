import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { coreClasses } from './testing/core-classes.ts';
import { readerOf } from './byte-reader.ts';
import { checkGraph } from './check-graph.ts';
import { detectParameters } from './detect-parameters.ts';
import { writeGraph } from './graph.ts';
import { importWorkflow, type ImportedWorkflow } from './import-workflow.ts';
import { proposeManifest } from './propose-manifest.ts';
import { readWorkflowFile } from './read-workflow-file.ts';
import { WorkflowError } from './workflow-error.ts';

const fixtures = path.resolve(import.meta.dirname, '../fixtures');
const textOf = (name: string): string => readFileSync(path.join(fixtures, name), 'utf8');

async function importText(text: string): Promise<ImportedWorkflow> {
  return importWorkflow(await readWorkflowFile(readerOf(Buffer.from(text))), coreClasses);
}

const both = (prompt: unknown, workflow: unknown): string => JSON.stringify({ prompt, workflow });

test('of a graph that was run the values count, and titles, notes, files and packs are the workflow\u2019s', async () => {
  const prompt = JSON.parse(textOf('conversions/plain.api.json')) as Record<string, Record<string, unknown>>;
  const workflow = JSON.parse(textOf('conversions/plain.ui.json')) as {
    nodes: Record<string, unknown>[];
  };
  for (const node of Object.values(prompt)) delete node['_meta'];
  Object.assign(prompt['3']!, { is_changed: ['x'] });
  const checkpoint = workflow.nodes.find(({ id }) => id === 4)!;
  const models = [
    {
      name: 'sd_xl_base_1.0.safetensors',
      url: 'https://example.com/a',
      hash: 'AB',
      hash_type: 'SHA256',
      directory: 'checkpoints',
    },
    { name: 'bad.safetensors', url: 'javascript:alert(1)' },
  ];
  checkpoint['properties'] = { models, cnr_id: 'some-pack', ver: '1.2.3' };
  const imported = await importText(both(prompt, workflow));
  assert.equal(imported.graph.get('6')?.title, 'Positive');
  assert.deepEqual(imported.notes, ['Take a portrait format.']);
  assert.deepEqual(imported.models, [
    {
      name: 'sd_xl_base_1.0.safetensors',
      url: 'https://example.com/a',
      sha256: 'ab',
      folder: 'checkpoints',
    },
    { name: 'bad.safetensors', url: undefined, sha256: undefined, folder: undefined },
  ]);
  assert.equal(imported.packs.get('CheckpointLoaderSimple'), 'some-pack 1.2.3');
  assert.doesNotMatch(writeGraph(imported.graph), /is_changed/);
});

test('a name that the author gave to a promoted input makes what was found there sure', async () => {
  const imported = await importText(textOf('conversions/promoted-widget.ui.json'));
  const { findings } = detectParameters(imported, coreClasses);
  assert.deepEqual(
    findings.filter(({ label }) => label !== undefined).map(({ role, node, label }) => [role, node, label]),
    [['prompt', '6:1', 'What to show']],
  );
});

test('a key in the file that is no node is left out, with a warning', async () => {
  const prompt = {
    ...(JSON.parse(textOf('conversions/plain.api.json')) as object),
    extra: { a: 1 },
  };
  const { graph, warnings } = await importText(JSON.stringify(prompt));
  assert.equal(graph.has('extra'), false);
  assert.match(warnings[0]?.message ?? '', /"extra" in the file is no node/);
});

/** Runs all steps of an import on a file. */
async function importFully(text: string): Promise<void> {
  const imported = await importText(text);
  const detection = detectParameters(imported, coreClasses);
  checkGraph(detection.graph, coreClasses, { backend: 'gpu1', packs: imported.packs });
  const options = {
    id: 'a',
    name: 'A',
    on: ['gpu1'],
    workflow: './a.workflow.json',
    models: imported.models,
  };
  JSON.stringify(proposeManifest(detection, coreClasses, options));
  writeGraph(detection.graph);
}

test('a GetNode that asks for a number of 64 bits is refused with all its digits', async () => {
  const [before, ...rest] = textOf('conversions/set-get.ui.json').split('"widgets_values": ["clip"]');
  // The first match belongs to the SetNode.
  const asking = [`${before}"widgets_values": ["clip"]${rest[0]}`, ...rest.slice(1)];
  await assert.rejects(importText(asking.join('"widgets_values": [18446744073709551615]')), {
    name: 'WorkflowError',
    message: /asks for 18446744073709551615, and no SetNode/,
  });
});

test('a workflow that is damaged anywhere is imported or refused, and nothing else happens', async () => {
  const samples = ['conversions', 'shapes'].flatMap((folder) =>
    readdirSync(path.join(fixtures, folder))
      .filter((name) => name !== 'roles.json')
      .map((name) => textOf(`${folder}/${name}`)),
  );
  const replacements = [
    'null',
    '-1',
    '1e99',
    '"x"',
    '[]',
    '{}',
    '["3",0]',
    '[[]]',
    'true',
    '18446744073709551615',
    '"__proto__"',
    '3',
    '-10',
  ];
  const valueShape = /(?<=[:,[]\s*)(?:"[^"]*"(?!\s*:)|-?\d+(?:\.\d+)?|true|false|null)/g;
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...samples),
      fc.array(fc.tuple(fc.nat(2000), fc.constantFrom(...replacements)), {
        minLength: 1,
        maxLength: 4,
      }),
      async (sample, changes) => {
        const places = [...sample.matchAll(valueShape)];
        let text = sample;
        const chosen = new Map(changes.map(([at, to]) => [at % places.length, to]));
        for (const [at, to] of [...chosen].toSorted(([one], [other]) => other - one)) {
          const { index, 0: found } = places[at]!;
          text = text.slice(0, index) + to + text.slice(index + found.length);
        }
        try {
          await importFully(text);
        } catch (error) {
          assert.ok(
            error instanceof WorkflowError && error.problems.length > 0,
            `${String(error)} in ${text}`,
          );
        }
      },
    ),
    { numRuns: 500 },
  );
});

test('a chain of thousands of nodes is walked to its end', async () => {
  const count = 4900;
  const chain = (classType: string, input: string, rest: object) =>
    Object.fromEntries(
      Array.from({ length: count }, (_, at) => [
        `c${at}`,
        {
          class_type: classType,
          inputs: { [input]: at === 0 ? ['6', 0] : [`c${at - 1}`, 0], ...rest },
        },
      ]),
    );
  const plain = JSON.parse(textOf('conversions/plain.api.json')) as Record<
    string,
    { inputs: Record<string, unknown> }
  >;
  plain['3']!.inputs['positive'] = [`c${count - 1}`, 0];
  await importFully(JSON.stringify({ ...plain, ...chain('FluxGuidance', 'conditioning', { guidance: 3 }) }));
  const images = chain('OldBlur', 'image', { radius: 1 });
  const load = { class_type: 'LoadImage', inputs: { image: 'a.png' } };
  const save = {
    class_type: 'SaveImage',
    inputs: { images: [`c${count - 1}`, 0], filename_prefix: 'x' },
  };
  await importFully(JSON.stringify({ 6: load, ...images, 9: save }));
});

test('an input that its class has only since the graph was saved takes its default, and no file is chosen', async () => {
  const prompt = JSON.parse(textOf('conversions/plain.api.json')) as Record<
    string,
    { inputs: Record<string, unknown> }
  >;
  delete prompt['3']?.inputs['denoise'];
  delete prompt['4']?.inputs['ckpt_name'];
  const { graph, warnings } = await importText(JSON.stringify(prompt));
  assert.equal(graph.get('3')?.inputs.get('denoise'), 1);
  assert.deepEqual(
    warnings.map(({ message }) => message),
    ['KSampler 3 was saved without "denoise": it takes 1 there.'],
  );
  assert.deepEqual(
    checkGraph(graph, coreClasses, { backend: 'gpu1' }).problems.map(({ code, input }) => [code, input]),
    [['input_missing', 'ckpt_name']],
  );
});
