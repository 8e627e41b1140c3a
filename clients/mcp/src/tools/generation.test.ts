import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Generation } from 'renderkit';
import { foundGeneration } from './generation.ts';

test('of what failed it is told once whether its credits came back', () => {
  const failures: [code: string, message: string, told: RegExp][] = [
    ['render_failed', 'The engine could not finish it. Its credits were given back.', /given back\. Tell /],
    ['moderation_blocked', 'Moderation refused the prompt.', /prompt\. Its credits came back\. Tell /],
    [
      'stopped',
      'The generation was stopped.',
      /stopped\. Its credits came back unless an engine had begun: /,
    ],
  ];
  for (const [code, message, told] of failures) {
    const generation = {
      id: 'gen_1',
      status: 'failed',
      kind: 'image',
      cost: { credits: 1 },
      outputs: [],
      error: { code, message },
    } as unknown as Generation;
    const { text } = foundGeneration(generation, undefined);
    assert.match(text, told);
    assert.equal(text.match(/credits/g)?.length, 1, text);
  }
});
