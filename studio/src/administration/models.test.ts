import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ownFindings } from './models.ts';

test('the warning of a route whose lost jobs are given up is among what is found of a model', async () => {
  const route = {
    name: 'fal',
    engine: 'fal',
    on: ['fal'],
    endpoint: 'a/b',
    set: { '/prompt': { text: '{prompt}' } },
    cost: { currency: 'USD', per_output: 0.01 },
    outputs: { at: '/images/*/url', kind: 'image', max_per_job: 1 },
  };
  const source = `
manifest: 1
id: edit
name: Edit
suites: [image]
batch_size: { Conjure: 1 }
parameters: { aspect_ratios: [{ ratio: '1:1', width: 64, height: 64 }] }
price: { base_millicredits: 1000 }
routes: [${JSON.stringify(route)}]
`;
  const { problems, warnings } = await ownFindings({ source, files: {} });
  assert.deepEqual(problems, []);
  assert.match(warnings[0] ?? '', /^Route fal sends no seed/);
});
