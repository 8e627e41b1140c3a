// Loaded before each process of tests: writes at its end what it cost as a line `file<TAB>seconds` of the file that
// TEST_CPU_FILE names.

import { appendFileSync } from 'node:fs';
import { cpuSeconds } from './cpu-time.ts';

const report = process.env['TEST_CPU_FILE'];
// What the tests start reports nothing itself: its parent has waited for it.
delete process.env['TEST_CPU_FILE'];

if (report !== undefined)
  process.on('exit', () => appendFileSync(report, `${process.argv[1]}\t${cpuSeconds().toFixed(2)}\n`));
