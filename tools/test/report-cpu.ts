// Loaded before each test process. At the end it writes the CPU time as a line `file<TAB>seconds` to the file that
// TEST_CPU_FILE names.

import { appendFileSync } from 'node:fs';
import { cpuSeconds } from './cpu-time.ts';

const report = process.env['TEST_CPU_FILE'];
// Processes that the tests start must not report: their parent waits for them and includes their time.
delete process.env['TEST_CPU_FILE'];

if (report !== undefined)
  process.on('exit', () => appendFileSync(report, `${process.argv[1]}\t${cpuSeconds().toFixed(2)}\n`));
