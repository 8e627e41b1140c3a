// Builds the console and the compiled programs in advance: `npm run build`. For machines where the accounts that start
// parts may not write to this folder.

import { spawnSync } from 'node:child_process';
import path from 'node:path';
import type { Environment } from '@renderkit/server-kit/process/config.ts';
import { buildConsole } from './build-console.ts';
import { explainError } from './explain-error.ts';

const compiler = path.join(import.meta.dirname, '../compile-programs.mjs');

try {
  await build(process.env);
  process.stdout.write('The console and the programs are built.\n');
} catch (error) {
  process.stderr.write(`${explainError(error)}\n`);
  process.exitCode = 1;
}
if (process.connected) process.disconnect();

async function build(environment: Environment): Promise<void> {
  await buildConsole({ environment });
  const { status } = spawnSync(process.execPath, [compiler], { stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error(`compiling the programs ended with exit code ${status}`);
}
