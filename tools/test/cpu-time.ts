import { readFileSync } from 'node:fs';

const ticksPerSecond = 100;

/**
 * Returns the CPU seconds of this process and of the ended children that it has waited for. Without Linux's /proc it
 * returns only those of this process.
 */
export function cpuSeconds(): number {
  try {
    const stat = readFileSync('/proc/self/stat', 'utf8');
    // User and system time of the process, then those of its children.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) / ticksPerSecond;
  } catch {
    const { user, system } = process.cpuUsage();
    return (user + system) / 1e6;
  }
}
