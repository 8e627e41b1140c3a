import { readdirSync, readFileSync } from 'node:fs';

/**
 * Kills every other process of the group that this one leads. What a test has frozen hears no signal but this one, and
 * whoever waits for its output would wait for ever. Does nothing without Linux's /proc, or for one that leads no group.
 */
export function killGroup(): void {
  if (groupOf(process.pid) !== process.pid) return;
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!(pid > 0) || pid === process.pid || groupOf(pid) !== process.pid) continue;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // it has ended meanwhile
    }
  }
}

function groupOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // After the name: state, parent, group.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
  } catch {
    return undefined;
  }
}
