import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { formOfField } from 'renderkit/model-schema';
import { optionValue } from '../amounts.ts';
import { UsageError } from '../cli-error.ts';

export const rowKinds = ['image', 'edit', 'video'] as const;
export type RowKind = (typeof rowKinds)[number];

/** One row of a batch: its request, with files still as `@path`. */
export type Row = {
  /** Line in the file, 1-based. The header of a CSV counts. */
  line: number;
  /**
   * A hash of the row's content, and a number that distinguishes equal rows. Rows may be added and moved between runs.
   */
  id: string;
  kind: RowKind;
  request: Record<string, unknown>;
};

/**
 * Reads the rows of a CSV file with a header, or of a file with one JSON object per line. Columns are fields of the
 * API; `options.KEY` and `metadata.KEY` are columns too. Items of a list are separated by `|`.
 *
 * @param template a prompt with `{column}` in it; other columns are then allowed
 * @throws UsageError that names the line
 */
export function readRows(
  file: string,
  { template, kind }: { template?: string | undefined; kind: RowKind },
): Row[] {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').replace(/^\ufeff/, '');
  } catch {
    throw new UsageError(
      `${file} cannot be read.`,
      'A batch is a CSV file with a head, or a file of JSON lines.',
    );
  }
  const records = /\.(jsonl|ndjson)$/i.test(file) ? jsonRecords(text, file) : csvRecords(text, file);
  const seen = new Map<string, number>();
  return records.map(({ line, values }) => {
    const row = rowOf(values, { line, file, template, kind });
    const hash = createHash('sha256')
      .update(JSON.stringify([row.kind, row.request]))
      .digest('hex')
      .slice(0, 24);
    const count = (seen.get(hash) ?? 0) + 1;
    seen.set(hash, count);
    return { ...row, line, id: `${hash}-${count}` };
  });
}

type Record_ = { line: number; values: Record<string, unknown> };

function jsonRecords(text: string, file: string): Record_[] {
  return text.split('\n').flatMap((one, i) => {
    if (one.trim() === '') return [];
    let values: unknown;
    try {
      values = JSON.parse(one);
    } catch {
      values = undefined;
    }
    if (typeof values !== 'object' || values === null || Array.isArray(values))
      throw new UsageError(
        `${file}:${i + 1} is no JSON object.`,
        'Each line is one, as {"prompt":"a lake"}.',
      );
    return [{ line: i + 1, values: values as Record<string, unknown> }];
  });
}

function csvRecords(text: string, file: string): Record_[] {
  const [head, ...rows] = parseCsv(text);
  if (head === undefined)
    throw new UsageError(`${file} is empty.`, 'Its first line names the columns, as: prompt,model');
  return rows.map(({ line, cells }) => {
    if (cells.length > head.cells.length)
      throw new UsageError(
        `${file}:${line} has ${cells.length} cells and the head ${head.cells.length}.`,
        'A comma inside of a cell needs "quotes".',
      );
    const given = head.cells.map((name, i) => [name.trim(), cells[i] ?? ''] as const);
    return { line, values: Object.fromEntries(given.filter(([, cell]) => cell !== '')) };
  });
}

/**
 * Splits a CSV into cells (RFC 4180). Quoted cells may contain commas, line breaks and doubled quotes. Skips empty
 * lines.
 */
export function parseCsv(text: string): { line: number; cells: string[] }[] {
  const rows: { line: number; cells: string[] }[] = [];
  let cells: string[] = [];
  let line = 1;
  let begun = 1;
  for (const [whole, quoted, plain = '', end = ''] of text.matchAll(
    /(?:"((?:[^"]|"")*)"|([^",\r\n]*))(,|\r\n|\n|\r|$)/g,
  )) {
    cells.push(quoted?.replaceAll('""', '"') ?? plain);
    line += whole.match(/\r\n|\n|\r/g)?.length ?? 0;
    if (end === ',') continue;
    if (cells.length > 1 || cells[0] !== '') rows.push({ line: begun, cells });
    cells = [];
    begun = line;
    if (end === '') break;
  }
  return rows;
}

function rowOf(
  values: Record<string, unknown>,
  at: { line: number; file: string; template: string | undefined; kind: RowKind },
): Pick<Row, 'kind' | 'request'> {
  const request: Record<string, unknown> = {};
  const wrong = (message: string) => new UsageError(`${at.file}:${at.line}: ${message}`);
  for (const [name, value] of Object.entries(values)) {
    const [group = '', key] = name.split(/\.(.*)/s);
    if ((group === 'options' || group === 'metadata') && key !== undefined && key !== '') {
      const text = textOf(value);
      request[group] = {
        ...(request[group] as object),
        [key]: group === 'options' ? optionValue(text) : text,
      };
    } else if (name !== 'kind' && formOfField(name) === undefined) {
      if (at.template === undefined)
        throw wrong(
          `there is no field ${JSON.stringify(name)}. With --template other columns may fill a prompt.`,
        );
    } else if (name !== 'kind') request[name] = fieldOf(name, value, wrong);
  }
  if (at.template !== undefined)
    request['prompt'] = at.template.replace(/\{([^{}]+)\}/g, (_whole, name: string) => {
      const value = values[name];
      if (value === undefined) throw wrong(`the template needs ${name}, which is empty here.`);
      return textOf(value);
    });
  const kind = rowKinds.find((one) => one === (values['kind'] ?? at.kind));
  if (kind === undefined) throw wrong(`kind is one of ${rowKinds.join(', ')}.`);
  return { kind, request };
}

const textOf = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));

function fieldOf(name: string, value: unknown, wrong: (message: string) => UsageError): unknown {
  if (typeof value !== 'string') return value;
  const form = formOfField(name);
  if (form === 'list') return value.split('|').map((item) => item.trim());
  if (form !== 'number') return value;
  const number = Number(value);
  if (Number.isNaN(number)) throw wrong(`${name} is a number, not ${JSON.stringify(value)}.`);
  return number;
}
