import type { Issue } from './issue.ts';
import { isTest } from './place.ts';
import type { Source } from './read-sources.ts';
import {
  briefLocks,
  firstReleaseOfLockRule,
  lastMigrationBeforeReleases,
  sqlFiles,
  sqlFunctionLineLimit,
} from './rules.ts';

const functionPath = /\/sql\/functions\/([^/]+)\.sql$/;
const schemaPath = /^[^/]+\/sql\/schema\.sql$/;
/** Matches the first line of a function that is only kept for the previous release. */
const keptForOlder = /^-- .*\bwhat the release before calls\b/;
const migrationPath = /^(service|studio)\/sql\/migrations\/(\d{3})-[^/]+\.sql$/;
const functionStart = /\bcreate\s+(?:or\s+replace\s+)?(?:function|procedure)\s+(\w+)/gi;
/** Matches statements that remove something that the previous release may still use. */
const contracting =
  /\bdrop\s+(?:table|column|function|procedure|type|view|constraint|default)\b|\brename\b|\bset\s+not\s+null\b|\balter\s+column\s+\w+\s+(?:set\s+data\s+)?type\b/i;

/**
 * Reports a file of `sql/functions` that does not hold exactly one function with the file's name, or whose function
 * cannot be created again.
 */
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

/**
 * Checks the first lines of functions. A function that no trigger, no other function and no statement of its server's
 * code calls must say in its first line that the release before calls it. A function that is called must not say so.
 */
export function unusedFunctionIssues(sources: readonly Source[]): Issue[] {
  const callers = sources.filter((source) => mayCall(source)).map(callerOf);
  return sources.flatMap(({ path, text }) => {
    const name = functionPath.exec(path)?.[1];
    if (name === undefined) return [];
    const call = new RegExp(`\\b${name}\\s*\\(`);
    const server = `${path.split('/', 1)[0]}/`;
    const caller = callers.find(
      (one) => one.path !== path && one.path.startsWith(server) && call.test(one.text),
    );
    const isKept = keptForOlder.test(text);
    if (caller === undefined && !isKept)
      return [
        {
          path,
          message:
            'is called by nothing here: its first line says that this is "what the release before calls", or it goes.',
        },
      ];
    if (caller !== undefined && isKept)
      return [{ path, message: `says that the release before calls it, and ${caller.path} does.` }];
    return [];
  });
}

/**
 * Returns whether a source can call functions. Functions kept for the previous release do not count as callers, nor do
 * tests.
 */
function mayCall({ path, text }: Source): boolean {
  if (functionPath.test(path)) return !keptForOlder.test(text);
  return schemaPath.test(path) || (!isTest(path) && sqlFiles.some((shape) => shape.test(path)));
}

function callerOf({ path, text }: Source): { path: string; text: string } {
  return { path, text: path.endsWith('.sql') ? withoutSqlComments(text) : text };
}

/**
 * Reports migrations that do not name their release, or that remove something without naming the release that stopped
 * using it.
 */
export function migrationIssues({ path, text }: Source): Issue[] {
  const [, server = '', number] = migrationPath.exec(path) ?? [];
  if (number === undefined || number <= (lastMigrationBeforeReleases[server] ?? '')) return [];
  const issues: Issue[] = [];
  const sql = withoutSqlComments(text);
  if (!releaseLine.test(text))
    issues.push({ path, message: 'says in its head which release brings it: "-- release: 2".' });
  // Trigger functions are excepted: the migration creates them itself, because they must exist before the functions are
  // applied.
  if ([...sql.matchAll(functionStart)].length > [...sql.matchAll(/\breturns\s+trigger\b/gi)].length)
    issues.push({ path, message: 'makes a function: its text stands in sql/functions alone.' });
  if (contracting.test(sql) && !/^-- contracts: \S/m.test(text))
    issues.push({
      path,
      message: 'takes something away: its head says since which release nothing uses it ("-- contracts: …").',
    });
  return issues;
}

const releaseLine = /^-- release: (\d+)$/m;
const madeTable = /\bcreate\s+(?:unlogged\s+)?table\s+(?:if\s+not\s+exists\s+)?(\w+)/gi;
const builtIndex =
  /\bcreate\s+(?:unique\s+)?index\s+(?!concurrently\b)(?:if\s+not\s+exists\s+)?\w+\s+on\s+(\w+)/gi;
const alteredTable = /\balter\s+table\s+(?:if\s+exists\s+)?(\w+)([^;]*)/gi;
const readsWholeTable = /\badd\s+(?:column\s+[^,]*?\b(?:check\s*\(|references\b)|constraint\b)/i;
const rewrittenTable = /\bupdate\s+(\w+)\b[^;]*\bset\b/gi;

/**
 * Reports a migration that reads a whole existing table under a lock. Exception: a file of `sql/online` takes its place
 * (docs/STYLE.md).
 */
export function lockIssues(sources: readonly Source[]): Issue[] {
  const paths = new Set(sources.map(({ path }) => path));
  return sources.flatMap(({ path, text }) => {
    if (!migrationPath.test(path) || path in briefLocks) return [];
    if (Number(releaseLine.exec(text)?.[1] ?? 0) < firstReleaseOfLockRule) return [];
    if (paths.has(path.replace('/migrations/', '/online/'))) return [];
    return [...tablesReadUnderLock(withoutSqlComments(text))].map((table) => ({
      path,
      message: `reads all of ${table} while others wait for it: build indexes concurrently, add constraints not valid and validate them in a step of their own; a file of the same name in sql/online has steps.`,
    }));
  });
}

function tablesReadUnderLock(sql: string): Set<string> {
  const made = new Set([...sql.matchAll(madeTable)].map(([, table]) => table));
  const altered = [...sql.matchAll(alteredTable)];
  const found = [
    ...[...sql.matchAll(builtIndex)].map(([, table = '']) => table),
    ...altered
      .filter(([, , change = '']) => readsWholeTable.test(change) && !/\bnot\s+valid\b/i.test(change))
      .map(([, table = '']) => table),
    ...[...sql.matchAll(rewrittenTable)]
      .map(([, table = '']) => table)
      .filter((table) => altered.some(([, one]) => one === table)),
  ];
  return new Set(found.filter((table) => !made.has(table)));
}

export function withoutSqlComments(text: string): string {
  return text.replaceAll(/--.*$/gm, '').replaceAll(/\/\*[\s\S]*?\*\//g, '');
}
