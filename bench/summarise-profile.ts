// `node stack/launch.mjs --dev bench/summarise-profile.ts FILE… [--after SECONDS]`: shows the functions that took most
// of the processor time of CPU profiles themselves. With `--after` it leaves out what a process did in its first
// seconds, such as starting and warming up. The profiles of `npm run bench -- NAME --profile DIRECTORY` can be read
// while the compiled programs still exist.

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
