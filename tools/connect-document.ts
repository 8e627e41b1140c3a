import {
  a1111Fields,
  chatFields,
  type FieldTable,
  imageFields,
  videoFields,
} from '@renderkit/service/facades/field-tables.ts';

/** The generated tables of docs/connect.md, by the names in their marks. */
const tables: Record<string, () => string> = {
  'fields of images': () => fieldTable(imageFields),
  'fields of chats': () => fieldTable(chatFields),
  'fields of videos': () => fieldTable(videoFields),
  'fields of a1111': () => fieldTable(a1111Fields),
};

const marked = /(<!-- table: ([a-z0-9 ]+) -->\n).*?(<!-- end -->)/gs;

/**
 * Returns docs/connect.md with new tables. The text between the marks is generated from the fields that the doors read.
 * The rest stays unchanged.
 *
 * @throws Error if a mark names no table, or a table has no mark
 */
export function connectText(before: string): string {
  const missing = new Set(Object.keys(tables));
  const text = before.replace(marked, (_whole, begin: string, name: string, end: string) => {
    const table = tables[name];
    if (table === undefined) throw new Error(`there is no table ${name}`);
    missing.delete(name);
    return `${begin}\n${table()}\n${end}`;
  });
  if (missing.size > 0) throw new Error(`no mark for ${[...missing].join(', ')}`);
  return text;
}

/** Returns a table with one row for each use of fields, in the order of first occurrence. */
function fieldTable(table: FieldTable): string {
  const rows = new Map<string, string[]>();
  for (const [name, { becomes, ignored = false }] of Object.entries(table)) {
    const text = ignored ? `${becomes}; \`X-Renderkit-Ignored\` names it` : becomes;
    rows.set(text, [...(rows.get(text) ?? []), `\`${name}\``]);
  }
  return lines([
    ['field', 'how it is used'],
    ...[...rows].map(([text, names]): Row => [names.join(', '), text]),
    ['any other', 'ignored'],
  ]);
}

type Row = readonly string[];

function lines([head = [], ...rows]: readonly Row[]): string {
  const line = (cells: Row) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |\n`;
  return `${line(head)}|${'---|'.repeat(head.length)}\n${rows.map(line).join('')}`;
}
