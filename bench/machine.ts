import { execFileSync } from 'node:child_process';
import { cpus, totalmem } from 'node:os';

/** Describes the machine of the figures, with nothing that identifies its owner. */
export function describeMachine(): string {
  const models = new Set(cpus().map(({ model }) => model.trim()));
  const memory = Math.round(totalmem() / 2 ** 30);
  return `${cpus().length} cores (${[...models].join(', ')}), ${memory} GiB of memory, ${process.platform} ${process.arch}, Node ${process.versions.node}`;
}

/** Returns the commit, with a mark if the tree differs from it; undefined outside a git checkout. */
export function describeCommit(): string | undefined {
  try {
    const commit = git('rev-parse', '--short=12', 'HEAD');
    return git('status', '--porcelain', '--untracked-files=no') === '' ? commit : `${commit} with changes`;
  } catch {
    return undefined;
  }
}

function git(...arguments_: string[]): string {
  return execFileSync('git', arguments_, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }).trim();
}
