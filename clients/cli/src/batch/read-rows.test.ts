import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { test } from 'node:test';
import { UsageError } from '../cli-error.ts';
import { parseCsv, readRows } from './read-rows.ts';

function rowsOf(name: string, text: string, template?: string) {
  const folder = mkdtempSync(path.join(tmpdir(), 'renderkit-rows-'));
  try {
    const file = path.join(folder, name);
    writeFileSync(file, text);
    return readRows(file, { template, kind: 'image' });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

test('cells in quotes hold commas, quotes and line ends, and a line end at the end makes no row', () => {
  assert.deepEqual(parseCsv('a,b\r\n"x, ""y""\nz",\r\n\r\nlast,""\n'), [
    { line: 1, cells: ['a', 'b'] },
    { line: 2, cells: ['x, "y"\nz', ''] },
    { line: 5, cells: ['last', ''] },
  ]);
  assert.deepEqual(parseCsv(''), []);
});

test('columns become fields, options with numbers, notes as text, lists by |', () => {
  const [row] = rowsOf(
    'a.csv',
    '\ufeffprompt,styles,options.seed,options.hd,metadata.order,strength,kind\na lake,one|two,7,true,0042,0.5,edit\n',
  );
  assert.deepEqual(
    [row?.kind, row?.request],
    [
      'edit',
      {
        prompt: 'a lake',
        styles: ['one', 'two'],
        options: { seed: 7, hd: true },
        metadata: { order: '0042' },
        strength: 0.5,
      },
    ],
  );
});

test('a row is known by what it says: rows may be added before it, and equal ones are several', () => {
  const [first, second] = rowsOf('a.csv', 'prompt\na lake\na lake\n');
  const later = rowsOf('a.csv', 'prompt,model\nnew,\na lake,\na lake,\n');
  assert.notEqual(first?.id, second?.id);
  assert.deepEqual([later[1]?.id, later[2]?.id], [first?.id, second?.id]);
});

test('a template makes the prompt of any columns, and says which one is empty', () => {
  const [row] = rowsOf('a.jsonl', '{"colour":"red","model":"atelier-1"}\n\n', 'a {colour} boat');
  assert.deepEqual(row?.request, { model: 'atelier-1', prompt: 'a red boat' });
  assert.throws(() => rowsOf('a.csv', 'colour,x\n,1\n', 'a {colour} boat'), /a\.csv:2: .*colour/);
});

test('what cannot be read is refused with its line', () => {
  for (const [name, text, shape] of [
    ['a.csv', 'prompt,colour\na lake,red\n', /a\.csv:2: there is no field "colour"/],
    ['a.csv', 'prompt\na lake, at night\n', /a\.csv:2 has 2 cells/],
    ['a.csv', 'prompt,strength\na lake,much\n', /a\.csv:2: strength/],
    ['a.csv', 'prompt,kind\na lake,song\n', /a\.csv:2: kind/],
    ['a.jsonl', '{"prompt":"a"}\nnothing\n', /a\.jsonl:2/],
    ['a.csv', '', /is empty/],
  ] as const)
    assert.throws(
      () => rowsOf(name, text),
      (error) => error instanceof UsageError && shape.test(error.message),
      text,
    );
});
