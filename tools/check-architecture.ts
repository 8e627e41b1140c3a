import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { checkSources, lineCount } from './architecture/check-sources.ts';
import { readSources } from './architecture/read-sources.ts';
import { ordinaryLineLimit, workspaces } from './architecture/rules.ts';
import { openapiText } from './openapi-document.ts';

/** Prints everything in the tree that breaks a rule of docs/ARCHITECTURE.md. Exits with 1 if there is any issue. */
const root = path.resolve(import.meta.dirname, '..');
const sources = await readSources(root, Object.keys(workspaces));
const long = sources.filter(
  (source) => !source.path.endsWith('.sql') && lineCount(source) > ordinaryLineLimit,
);
for (const source of long) console.log(`note: ${source.path} has ${lineCount(source)} lines`);

const issues = checkSources(sources);
if ((await readFile(path.join(root, 'contract/openapi.json'), 'utf8')) !== openapiText()) {
  issues.push({ path: 'contract/openapi.json', message: 'is stale: run tools/generate-openapi.ts.' });
}
for (const { path: file, message } of issues) console.error(`${file} ${message}`);
if (issues.length > 0) {
  console.error(
    `${issues.length} broken rules of the architecture; they stand in tools/architecture/rules.ts.`,
  );
  process.exitCode = 1;
}
