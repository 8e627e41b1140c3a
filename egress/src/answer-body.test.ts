import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AnswerBody } from './answer-body.ts';

/** Creates a body, and records what it asks of its connection. */
function bodyOf(onResume: (body: AnswerBody) => void = () => {}) {
  const asked: string[] = [];
  const body: AnswerBody = new AnswerBody(
    {
      pause: () => void asked.push('pause'),
      resume: () => {
        asked.push('resume');
        onResume(body);
      },
    },
    undefined,
  );
  return { body, asked };
}

test('all that waits is read as one piece, and what broke the body after it', () => {
  const { body, asked } = bodyOf();
  for (const text of ['one', ' ', 'two']) body.push(Buffer.from(text));
  const broken = new Error('broken');
  body.break(broken);
  assert.equal(String(body.read()), 'one two');
  assert.throws(() => body.read(), broken);
  assert.deepEqual(asked, []);
});

test('a piece that waits alone is read as it came', () => {
  const { body } = bodyOf();
  const piece = Buffer.from('alone');
  body.push(piece);
  assert.equal(body.read(), piece);
  assert.equal(body.read(), undefined);
  body.end();
  assert.equal(body.read(), null);
});

test('a full body pauses its connection until it is read, and keeps what comes at once when it goes on', () => {
  const { body, asked } = bodyOf((going) => going.push(Buffer.from('next')));
  for (let byte = 0; byte < 65_536; byte += 1) body.push(Buffer.from('x'));
  assert.deepEqual(asked, ['pause']);
  assert.equal(body.read()?.length, 65_536);
  assert.deepEqual(asked, ['pause', 'resume']);
  assert.equal(String(body.read()), 'next');
  assert.equal(body.read(), undefined);
});
