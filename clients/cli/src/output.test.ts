import assert from 'node:assert/strict';
import { test } from 'node:test';
import { UsageError } from './cli-error.ts';
import { pick, pickFields } from './json-path.ts';
import { imageProtocol, imageText } from './terminal-images.ts';
import { progressText } from './progress.ts';

test('a path leads to one value or to each of a list, and what is no path is refused', () => {
  const data = { id: 'a', outputs: [{ url: 'x' }, { url: 'y' }] };
  assert.deepEqual(pick(data, '.'), [data]);
  assert.deepEqual(pick(data, '.outputs[].url'), ['x', 'y']);
  assert.deepEqual(pick(data, '.outputs[1].url'), ['y']);
  assert.deepEqual(pick(data, '.constructor'), [null]);
  for (const path of ['id', '.a b', '.outputs[', '.id | .x'])
    assert.throws(() => pick(data, path), UsageError, path);
  assert.deepEqual(pickFields([data], ['id', 'none']), [{ id: 'a', none: null }]);
});

const terminal = {
  TERM: 'xterm-256color',
  TERM_PROGRAM: undefined,
  KITTY_WINDOW_ID: undefined,
  TMUX: undefined,
  STY: undefined,
  NO_COLOR: undefined,
};

test('pictures are drawn in terminals that can, never through tmux or a pipe', () => {
  const of = (more: Partial<typeof terminal> | Record<string, string>, isTerminal = true) =>
    imageProtocol({ terminal: { ...terminal, ...more } }, 'auto', isTerminal);
  assert.equal(of({}), 'none');
  assert.equal(of({ TERM: 'xterm-kitty' }), 'kitty');
  assert.equal(of({ TERM_PROGRAM: 'iTerm.app' }), 'iterm');
  assert.equal(of({ TERM_PROGRAM: 'WezTerm', TMUX: '/tmp/tmux' }), 'none');
  assert.equal(of({ TERM: 'xterm-kitty' }, false), 'none');
  const png = Buffer.concat([Buffer.from([0x89, 0x50, 0x4e, 0x47]), Buffer.alloc(8_000)]);
  const chunks = imageText('kitty', png)?.split('\u001b\\') ?? [];
  assert.ok(chunks[0]?.startsWith('\u001b_Ga=T,f=100,r=16,q=2,m=1;'));
  assert.ok(chunks.at(-2)?.startsWith('\u001b_Gm=0;'));
  assert.equal(imageText('kitty', Buffer.from('a JPEG')), undefined);
  assert.ok(imageText('iterm', Buffer.from('a JPEG'))?.startsWith('\u001b]1337;File=inline=1;size=6;'));
});

test('progress says what is known and nothing else', () => {
  const unknown = {
    fraction: null,
    step: null,
    steps: null,
    starts_in_seconds: null,
    finishes_in_seconds: null,
  };
  const base = {
    object: 'progress',
    generation_id: 'gen_1',
    at: '',
    outputs_done: 0,
    outputs_expected: 1,
  } as const;
  assert.equal(
    progressText({
      ...base,
      ...unknown,
      stage: 'queued',
      queue: { position: 3, of: 7, reason: 'engine_busy' },
    }),
    'waiting · place 3 of 7 · the engines are busy',
  );
  assert.equal(
    progressText({
      ...base,
      stage: 'rendering',
      queue: null,
      fraction: 0.419,
      step: 3,
      steps: 7,
      starts_in_seconds: null,
      finishes_in_seconds: { low: 5, high: 200 },
    }),
    'rendering · 41 % · step 3 of 7 · done in 5 s to 3 min',
  );
});
