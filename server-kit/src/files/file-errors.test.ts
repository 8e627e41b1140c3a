import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { open, readFile, writeFile } from 'node:fs/promises';
import { test } from 'node:test';
import { ConfigError } from '../process/config.ts';
import { describeStartFailure, explainFileError, isStorageUnavailable } from './file-errors.ts';

const errorOf = (work: Promise<unknown>) =>
  work.then(
    () => assert.fail('it went well'),
    (error: unknown) => error,
  );

const noFullDevice = !existsSync('/dev/full') && 'there is no device here that is always full';

test(
  'a write that found no space is known as such, through what wraps it',
  { skip: noFullDevice },
  async () => {
    const error = await errorOf(writeFile('/dev/full', 'words'));
    assert.equal(isStorageUnavailable(new Error('the image was lost', { cause: error })), true);
    assert.match(
      explainFileError(error) ?? '',
      /^A file cannot be used \(ENOSPC: no space is left on its disk\)/,
    );
    await using handle = await open('/dev/full', 'w');
    assert.equal(isStorageUnavailable(await errorOf(handle.write('words'))), true);
  },
);

test('a file that is missing is another matter than a disk that is full', async () => {
  const error = await errorOf(readFile('/nowhere/at/all'));
  assert.equal(isStorageUnavailable(error), false);
  assert.equal(explainFileError(error), undefined);
  assert.equal(isStorageUnavailable('a text'), false);
});

test('ports and programs that are refused are not reported as files', async () => {
  const { error } = spawnSync(process.execPath, { cwd: '/nowhere' });
  assert.equal(explainFileError(Object.assign(error ?? new Error(), { code: 'EACCES' })), undefined);
  const listening = Object.assign(new Error('listen EACCES'), {
    code: 'EACCES',
    syscall: 'listen',
    port: 80,
  });
  assert.equal(explainFileError(listening), undefined);
});

test('what an operator can mend is one sentence, all else keeps its trace', () => {
  assert.equal(describeStartFailure(new ConfigError('PORT is wrong.'), 'The service'), 'PORT is wrong.');
  const readOnly = Object.assign(new Error('EROFS: read-only file system'), {
    code: 'EROFS',
    syscall: 'mkdir',
    path: '/data/media',
  });
  assert.equal(
    describeStartFailure(readOnly, 'The service'),
    '/data/media cannot be used (EROFS: its file system is mounted read-only): mend that, or set DATA_DIR to a directory that this user can write.',
  );
  assert.match(
    describeStartFailure(new TypeError('x is undefined'), 'The service'),
    /^The service could not start: TypeError: x is undefined\n\s+at /,
  );
});
