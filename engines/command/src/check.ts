import { access, constants } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import type { Route } from '@renderkit/engine-kit/route.ts';
import { programEnvironment } from '@renderkit/engine-kit/supervised-program.ts';

/**
 * Returns the problem that keeps a command from running on this machine: its program does not exist or is not
 * executable.
 */
export async function checkCommandRoute({ run, env = {} }: Route): Promise<Problem[]> {
  const [program] = run ?? [];
  if (program === undefined)
    return [{ code: 'file_missing', message: 'The route does not say what it runs.' }];
  const searchPath = programEnvironment(env)['PATH'] ?? '';
  const candidates = isAbsolute(program)
    ? [program]
    : searchPath.split(delimiter).map((folder) => join(folder, program));
  for (const path of candidates) {
    const may = await access(path, constants.X_OK).then(
      () => true,
      () => false,
    );
    if (may) return [];
  }
  return [{ code: 'file_missing', message: `This machine has no program ${program} that it may run.` }];
}
