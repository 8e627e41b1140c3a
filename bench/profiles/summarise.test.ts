import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { summarise } from './summarise.ts';

const frame = (functionName: string, url = '', lineNumber = 0) => ({
  functionName,
  url,
  lineNumber,
  columnNumber: 0,
});

test('a summary leaves out what was sampled in the first seconds', () => {
  const profile = {
    nodes: [
      { id: 1, callFrame: frame('start') },
      { id: 2, callFrame: frame('serve') },
      { id: 3, callFrame: frame('(idle)') },
    ],
    samples: [1, 1, 3, 2],
    timeDeltas: [1e6, 1e6, 5e6, 1e6],
  };
  assert.equal(summarise(profile), ' 66.7 %  start\n 33.3 %  serve');
  assert.equal(summarise(profile, 2), '100.0 %  serve');
  assert.equal(summarise(profile, 9), 'nothing was sampled after 9 s');
});

test('a summary names the modules of a bundle, also those that have no source map', async () => {
  const directory = await mkdtemp(path.join(tmpdir(), 'renderkit-profile-'));
  try {
    const file = path.join(directory, 'chunk-a1b2c3d4.mjs');
    const lines = [
      'import x',
      '// service/src/http/host.ts',
      'code',
      '// node_modules/pg/lib/client.js',
      'code',
    ];
    await writeFile(file, lines.join('\n'));
    const url = pathToFileURL(file).href;
    const profile = {
      nodes: [
        { id: 1, callFrame: frame('nameOfHost', url, 2) },
        { id: 2, callFrame: frame('connect', url, 4) },
      ],
      samples: [1, 2],
      timeDeltas: [3e6, 1e6],
    };
    assert.equal(
      summarise(profile),
      ' 75.0 %  nameOfHost  service/src/http/host.ts\n 25.0 %  connect  pg/lib/client.js',
    );
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
});
