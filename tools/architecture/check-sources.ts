import { circlesOf } from './check-circles.ts';
import { importIssues, placeIssues } from './check-imports.ts';
import {
  functionFileIssues,
  lockIssues,
  migrationIssues,
  unusedFunctionIssues,
  withoutSqlComments,
} from './check-sql.ts';
import type { Issue } from './issue.ts';
import { isTest } from './place.ts';
import type { Source } from './read-sources.ts';
import {
  entries,
  environmentReaders,
  hardLineLimit,
  namesThatSayNothing,
  reexportingEntries,
  sqlFiles,
} from './rules.ts';

/** Returns everything in the sources that breaks a rule of `rules.ts`. */
export function checkSources(sources: readonly Source[]): Issue[] {
  return [
    ...sources.flatMap((source) => [
      ...nameIssues(source),
      ...placeIssues(source),
      ...sizeIssues(source),
      ...textIssues(source),
      ...functionFileIssues(source),
      ...migrationIssues(source),
      ...source.imports.flatMap((one) => importIssues(source, one)),
    ]),
    ...lockIssues(sources),
    ...unusedFunctionIssues(sources),
    ...circlesOf(sources),
  ];
}

export function lineCount(source: Source): number {
  return source.text.split('\n').length - 1;
}

function nameIssues({ path: file }: Source): Issue[] {
  const issues: Issue[] = [];
  for (const part of file.split('/')) {
    const stem = part.replace(/\..*$/, '');
    if (namesThatSayNothing.includes(stem)) {
      issues.push({ path: file, message: `"${stem}" says nothing: name it after what it holds.` });
    }
    // A file of `sql/functions` has the name of its function.
    if (/\/sql\/functions\/[a-z0-9_]+\.sql$/.test(file)) continue;
    const good = part.endsWith('.tsx') ? /^[A-Za-z0-9.-]+$/ : /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9-]+)*$/;
    if (!good.test(part)) issues.push({ path: file, message: `"${part}" is not in kebab-case.` });
  }
  return issues;
}

function sizeIssues(source: Source): Issue[] {
  const lines = lineCount(source);
  if (lines <= hardLineLimit || /\.sql$|\.generated\.ts$/.test(source.path)) return [];
  return [
    { path: source.path, message: `${lines} lines: a file has ${hardLineLimit} at most. Split it by noun.` },
  ];
}

const sqlText = [
  // The pattern excludes the end of a file's name in a comment.
  /(?<![\w.])sql(?:<[^`;]*>)?`/,
  /\.(?:selectFrom|insertInto|updateTable|deleteFrom)\(/,
  /`\s*(?:with\s+\w+\s+as\s*\(|select\s[^`]*\sfrom\s)/i,
  /[`'"]\s*(?:insert\s+into|delete\s+from|update\s+\w+\s+set)\s/i,
];
const hostClock = /(?<![.\w])now\(\)|\bcurrent_timestamp\b/i;

function textIssues({ path: file, text }: Source): Issue[] {
  const issues: Issue[] = [];
  const test = isTest(file);
  const readsEnvironment = entries.test(file) ? /\bprocess\.env\b(?!\))/ : /\bprocess\.env\b/;
  if (readsEnvironment.test(text) && !test && !environmentReaders.some((shape) => shape.test(file))) {
    issues.push({ path: file, message: 'Only config.ts reads the environment.' });
  }
  if (/^export default\b/m.test(text)) issues.push({ path: file, message: 'Exports have names here.' });
  // Re-exports from an external library are allowed: the file stands in for the library, so its importers need no entry
  // for the library.
  const passesOn = /^export (?:type )?\{[^}]*\}\s*from\s*'(?:\.|@renderkit\/)/m.test(text);
  if (/^export \*/m.test(text) || (passesOn && !reexportingEntries.some((entry) => entry.test(file))))
    issues.push({ path: file, message: 'No barrels: import from where it is written.' });
  if (file.endsWith('.sql') && hostClock.test(withoutSqlComments(text))) {
    issues.push({ path: file, message: 'SQL asks clock(), which a test can move; never now().' });
  }
  if (file.endsWith('.sql') || test) return issues;
  const mayHoldSql = sqlFiles.some((shape) => shape.test(file));
  if (!mayHoldSql && sqlText.some((shape) => shape.test(text))) {
    issues.push({ path: file, message: 'SQL lives in store.ts and queries.ts alone.' });
  }
  if (/[-/](?:store|queries)\.ts$/.test(file) && hostClock.test(text.replaceAll(/\/\/.*$|^\s*\*.*$/gm, ''))) {
    issues.push({ path: file, message: 'SQL asks clock(), which a test can move; never now().' });
  }
  return issues;
}
