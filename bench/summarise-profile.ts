// `node stack/launch.mjs --dev bench/summarise-profile.ts FILE… [--after SECONDS]`: where the processor time of CPU profiles
// went, by the functions that took most of it themselves; with `--after` without what a process did in its first seconds, such
// as starting and warming up. What `npm run bench -- NAME --profile DIRECTORY` left is read while the compiled programs lie there.

import { readFileSync } from 'node:fs';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { type Profile, summarise } from './profiles/summarise.ts';

const { values, positionals: files } = parseArgs({
  allowPositionals: true,
  options: { after: { type: 'string', default: '0' } },
});
const after = Number(values.after);
if (!(after >= 0)) {
  console.error(`--after takes seconds, and not ${values.after}.`);
  process.exitCode = 1;
} else
  for (const file of files) {
    const profile = JSON.parse(readFileSync(file, 'utf8')) as Profile;
    console.log(`${path.basename(path.dirname(file))}\n${summarise(profile, after)}\n`);
  }
