import { readdirSync, readFileSync } from 'node:fs';

/**
 * Kills all other processes of the group that this process leads. A process that a test has frozen only reacts to this
 * signal, and a reader of its output would wait forever. Does nothing without Linux's /proc, or if this process leads
 * no group.
 */
export function killGroup(): void {
  if (groupOf(process.pid) !== process.pid) return;
  for (const name of readdirSync('/proc')) {
    const pid = Number(name);
    if (!(pid > 0) || pid === process.pid || groupOf(pid) !== process.pid) continue;
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process has ended meanwhile.
    }
  }
}

function groupOf(pid: number): number | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The fields after the name: state, parent, group.
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[2]);
  } catch {
    return undefined;
  }
}
