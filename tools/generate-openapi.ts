import { readFile, writeFile } from 'node:fs/promises';
import { servedKinds, servedOperations } from '@renderkit/contract/v1/served-operations.ts';
import { openapiDocument } from './openapi-document.ts';

/**
 * Writes contract/openapi.json from the table of operations. With `--check` it writes nothing and exits with 1
 * when the file is not what it would have written.
 */
const file = new URL('../contract/openapi.json', import.meta.url);
const fresh = `${JSON.stringify(openapiDocument(servedOperations, servedKinds), null, 2)}\n`;

if (!process.argv.includes('--check')) {
  await writeFile(file, fresh);
} else if ((await readFile(file, 'utf8').catch(() => '')) !== fresh) {
  console.error('contract/openapi.json is stale: run `node tools/generate-openapi.ts` and commit the result.');
  process.exitCode = 1;
}
