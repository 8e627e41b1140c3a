import { execFileSync } from 'node:child_process';
import path from 'node:path';
import type { Bench, Result } from '../benchmark.ts';
import { boundResult, milliseconds } from '../present.ts';
import { median } from '../statistics.ts';

const folder = path.join(import.meta.dirname, '../../clients/cli');
const callsPerRound = 20;
const goalMs = 150;

/** Measures how long the packed command line takes to show its help: every call has this cost. */
export function cli({ rounds }: Bench): Promise<Result[]> {
  execFileSync(process.execPath, [path.join(folder, 'build.ts')], { stdio: 'inherit' });
  const times = Array.from({ length: rounds * callsPerRound }, () => {
    const begun = performance.now();
    execFileSync(process.execPath, [path.join(folder, 'dist/main.js'), '--help'], { stdio: 'ignore' });
    return performance.now() - begun;
  });
  const half = median(times);
  return Promise.resolve([
    boundResult({
      name: 'cli, --help',
      ours: milliseconds(half),
      spread: `${milliseconds(Math.min(...times))}–${milliseconds(Math.max(...times))}`,
      goal: `${goalMs} ms or less`,
      met: half <= goalMs,
    }),
  ]);
}
