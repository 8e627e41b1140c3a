import { type TomlStatement, tomlStatements } from './toml-text.ts';

const group = 'mcp_servers';
const name = 'renderkit';

/**
 * Returns the text of a TOML file with our server in the tables `mcp_servers`. Replaces any earlier form of our server
 * (a table, a dotted or quoted key, an entry of an inline table) and leaves the rest unchanged.
 *
 * @throws SyntaxError when the text is not TOML, or its `mcp_servers` are not tables
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

/** Returns the full path of a statement. A value belongs to the table whose head precedes it. */
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

/**
 * Returns the text without our statements. Also removes the text between statements of one of our tables, and the empty
 * lines after our statements.
 */
function withoutOurs(text: string, statements: readonly TomlStatement[]): string {
  let kept = '';
  let at = 0;
  let wasOurs = false;
  for (const [i, one] of statements.entries()) {
    const isOurs = begins(pathOf(statements, i), [group, name]);
    if (isOurs) {
      // Keeps a comment before a table head, or before our key among other keys: it may not be ours.
      if (!(wasOurs && one.kind === 'value')) kept += text.slice(at, one.begin);
      const [empty = ''] = /^(?:[ \t]*\r?\n)*/.exec(text.slice(one.end)) ?? [];
      at = one.end + empty.length;
    }
    wasOurs = isOurs;
  }
  return kept + text.slice(at);
}

/** Adds the server inside `mcp_servers = { … }`, because TOML allows no separate table next to an inline table. */
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
