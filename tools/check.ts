// Runs everything that must pass before a change lands: types, lint, format, dead code, architecture, tests. All steps
// run even if an earlier one fails, so that one run shows all failures.

import { spawnSync } from 'node:child_process';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '..');
const steps: [name: string, ...command: string[]][] = [
  ['types', 'node_modules/typescript/bin/tsc', '-p', 'tsconfig.json'],
  ['types of the console', 'node_modules/typescript/bin/tsc', '-p', 'console/tsconfig.json'],
  ['lint', 'node_modules/oxlint/bin/oxlint', '--type-aware'],
  ['format', 'node_modules/oxfmt/bin/oxfmt', '--check'],
  ['dead code', 'node_modules/knip/bin/knip.js', '--no-progress'],
  ['architecture', 'tools/check-architecture.ts'],
  ['tests', 'tools/test/main.ts'],
  ['slow tests', 'tools/test/main.ts', '--slow'],
];

const failed: string[] = [];
for (const [name, ...command] of steps) {
  console.log(`\n── ${name}`);
  const started = performance.now();
  const { status } = spawnSync(process.execPath, command, { cwd: root, stdio: 'inherit' });
  if (status !== 0) failed.push(name);
  console.log(
    `── ${name}: ${status === 0 ? 'good' : 'FAILED'} in ${((performance.now() - started) / 1000).toFixed(1)} s`,
  );
}
console.log(failed.length === 0 ? '\nAll checks passed.' : `\nFailed: ${failed.join(', ')}.`);
process.exitCode = failed.length === 0 ? 0 : 1;
if (process.connected) process.disconnect();
