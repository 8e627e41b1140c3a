import type { Source } from './read-sources.ts';
import { lastMigrationBeforeReleases, sqlFunctionLineLimit } from './rules.ts';
import type { Issue } from './issue.ts';

const functionPath = /\/sql\/functions\/([^/]+)\.sql$/;
const migrationPath = /^(service|studio)\/sql\/migrations\/(\d{3})-[^/]+\.sql$/;
const functionStart = /\bcreate\s+(?:or\s+replace\s+)?(?:function|procedure)\s+(\w+)/gi;
/** What takes something away that the release before may still use. */
const contracting =
  /\bdrop\s+(?:table|column|function|procedure|type|view|constraint|default)\b|\brename\b|\bset\s+not\s+null\b|\balter\s+column\s+\w+\s+(?:set\s+data\s+)?type\b/i;

/** A file of `sql/functions` holds the one function that it is named after, made so that it can be made again. */
export function functionFileIssues({ path, text }: Source): Issue[] {
  const name = functionPath.exec(path)?.[1];
  if (name === undefined) return [];
  const issues: Issue[] = [];
  const sql = withoutSqlComments(text);
  const made = [...sql.matchAll(functionStart)].map(([, found]) => found);
  if (made.length !== 1 || made[0] !== name)
    issues.push({ path, message: `holds the function ${name} and nothing else.` });
  else if (!/^\s*create\s+or\s+replace\s/i.test(sql))
    issues.push({ path, message: 'begins with "create or replace", as it is applied again.' });
  const lines = text.split('\n').length - 1;
  if (lines > sqlFunctionLineLimit)
    issues.push({
      path,
      message: `${lines} lines: a function has ${sqlFunctionLineLimit} at most. Make it several, or several statements.`,
    });
  return issues;
}

/** Migrations say which release brings them, and whether they take away what an older one used. */
export function migrationIssues({ path, text }: Source): Issue[] {
  const [, server = '', number] = migrationPath.exec(path) ?? [];
  if (number === undefined || number <= (lastMigrationBeforeReleases[server] ?? '')) return [];
  const issues: Issue[] = [];
  const sql = withoutSqlComments(text);
  if (!/^-- release: \d+$/m.test(text))
    issues.push({ path, message: 'says in its head which release brings it: "-- release: 2".' });
  // Those of its triggers it makes itself: they have to be there before the functions are applied.
  if ([...sql.matchAll(functionStart)].length > [...sql.matchAll(/\breturns\s+trigger\b/gi)].length)
    issues.push({ path, message: 'makes a function: its text stands in sql/functions alone.' });
  if (contracting.test(sql) && !/^-- contracts: \S/m.test(text))
    issues.push({
      path,
      message: 'takes something away: its head says since which release nothing uses it ("-- contracts: …").',
    });
  return issues;
}

export function withoutSqlComments(text: string): string {
  return text.replaceAll(/--.*$/gm, '').replaceAll(/\/\*[\s\S]*?\*\//g, '');
}
