// Loaded before each file of tests: writes at its end what the process and its children cost, in seconds of CPU, as a
// line `file<TAB>seconds` of the file that TEST_CPU_FILE names. Without Linux's /proc it is the process alone.

import { appendFileSync, readFileSync } from 'node:fs';

const file = process.env['TEST_CPU_FILE'];
// What the tests start reports nothing itself: its parent has waited for it.
delete process.env['TEST_CPU_FILE'];
const ticksPerSecond = 100;

if (file !== undefined)
  process.on('exit', () => appendFileSync(file, `${process.argv[1]}\t${cpuSeconds().toFixed(2)}\n`));

function cpuSeconds(): number {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    // User and system time of the process, then those of the children that it has waited for.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / ticksPerSecond;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
}
