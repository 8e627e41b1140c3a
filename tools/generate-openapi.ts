import { readFile, writeFile } from 'node:fs/promises';
import { openapiText } from './openapi-document.ts';

/**
 * Writes contract/openapi.json from the table of operations. With `--check` it writes nothing and exits with 1 if the
 * file is stale.
 */
const file = new URL('../contract/openapi.json', import.meta.url);

if (!process.argv.includes('--check')) {
  await writeFile(file, openapiText());
} else if ((await readFile(file, 'utf8').catch(() => '')) !== openapiText()) {
  console.error(
    'contract/openapi.json is stale: run `node tools/generate-openapi.ts` and commit the result.',
  );
  process.exitCode = 1;
}
