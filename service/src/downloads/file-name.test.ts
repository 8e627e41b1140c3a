import assert from 'node:assert/strict';
import { test } from 'node:test';
import { attachmentOf, distinctNames, fileNameOf } from './file-name.ts';

const named = {
  prompt: 'A calm sea, at dusk!',
  seed: 4711,
  id: 'ast_01m7z2kpjc7jr2s7edv6n24vy9',
  extension: 'png',
};

test('a file is named by the words of its prompt and its seed', () => {
  assert.equal(fileNameOf(named), 'A-calm-sea-at-dusk-4711.png');
  assert.equal(fileNameOf({ ...named, seed: undefined }), 'A-calm-sea-at-dusk-n24vy9.png');
  assert.equal(fileNameOf({ ...named, prompt: null, seed: 0 }), 'renderkit-0.png');
  assert.equal(
    fileNameOf({ ...named, prompt: '静かな海 ../etc/passwd', seed: 7 }),
    '静かな海-etc-passwd-7.png',
  );
  assert.equal(fileNameOf({ ...named, prompt: `${'x'.repeat(61)} sea` }), 'renderkit-4711.png');
  assert.ok(fileNameOf({ ...named, prompt: 'sea '.repeat(100) }).length < 70);
});

test('no two files of an archive have the same name, whatever the case of its letters', () => {
  assert.deepEqual(distinctNames(['a-1.png', 'A-1.png', 'a-1.png', 'b.mp4']), [
    'a-1.png',
    'A-1-2.png',
    'a-1-3.png',
    'b.mp4',
  ]);
});

test('a name of any language fits into a header', () => {
  assert.equal(
    attachmentOf("静'海-7.png"),
    'attachment; filename="___-7.png"; filename*=UTF-8\'\'%E9%9D%99%27%E6%B5%B7-7.png',
  );
});
