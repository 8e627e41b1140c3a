import { type TomlStatement, tomlStatements } from './toml-text.ts';

const group = 'mcp_servers';
const name = 'renderkit';

/**
 * A TOML file of settings with our server among the tables `mcp_servers`. However it was written there before (a table, a dotted
 * or quoted key, an entry of an inline table), it is replaced; all else stays as it was written.
 *
 * @throws SyntaxError where the text is no TOML, or its `mcp_servers` are no tables
 */
export function withTomlServer(before: string, value: Record<string, unknown>): string {
  const statements = tomlStatements(before);
  const inline = statements.find((one, i) => isPath(pathOf(statements, i), [group]) && one.kind === 'value');
  if (inline?.kind === 'value') return withInlineEntry(before, inline, value);
  if (statements.some((one) => one.kind === 'table of a list' && begins([group, name], one.path)))
    throw new SyntaxError(`${group} is a list of tables`);
  const newline = before.includes('\r\n') ? '\r\n' : '\n';
  const head = withoutOurs(before, statements).trimEnd();
  const lines = Object.entries(value).map(([key, one]) => `${key} = ${toml(one)}`);
  const added = [`[${group}.${name}]`, ...lines, ''].join(newline);
  return head === '' ? added : head + newline + newline + added;
}

/** The whole path of a statement: a value lies in the table whose head stands before it. */
function pathOf(statements: readonly TomlStatement[], index: number): string[] {
  const one = statements[index];
  if (one?.kind !== 'value') return one?.path ?? [];
  const head = statements.slice(0, index).findLast(({ kind }) => kind !== 'value');
  return [...(head?.path ?? []), ...one.path];
}

const begins = (whole: readonly string[], start: readonly string[]) =>
  start.every((part, i) => part === whole[i]);

const isPath = (path: readonly string[], other: readonly string[]) =>
  path.length === other.length && begins(path, other);

/** Without the statements of ours, what stands between those of one table, and the empty lines after them. */
function withoutOurs(text: string, statements: readonly TomlStatement[]): string {
  let kept = '';
  let at = 0;
  let wasOurs = false;
  for (const [i, one] of statements.entries()) {
    const isOurs = begins(pathOf(statements, i), [group, name]);
    if (isOurs) {
      // A comment before a head, or before a key among those of others, is not known to be ours.
      if (!(wasOurs && one.kind === 'value')) kept += text.slice(at, one.begin);
      const [empty = ''] = /^(?:[ \t]*\r?\n)*/.exec(text.slice(one.end)) ?? [];
      at = one.end + empty.length;
    }
    wasOurs = isOurs;
  }
  return kept + text.slice(at);
}

/** `mcp_servers = { … }` takes no table beside it: the entry goes into it. */
function withInlineEntry(
  text: string,
  { value: { begin, end, entries } }: TomlStatement & { kind: 'value' },
  server: Record<string, unknown>,
): string {
  if (entries === undefined) throw new SyntaxError(`${group} is no table`);
  const others = entries
    .filter(({ path }) => path[0] !== name)
    .map((entry) => text.slice(entry.begin, entry.end));
  return `${text.slice(0, begin)}{ ${[...others, `${name} = ${toml(server)}`].join(', ')} }${text.slice(end)}`;
}

function toml(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(toml).join(', ')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  return `{ ${Object.entries(value)
    .map(([key, one]) => `${JSON.stringify(key)} = ${toml(one)}`)
    .join(', ')} }`;
}
