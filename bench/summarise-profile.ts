// `node stack/launch.mjs --dev bench/summarise-profile.ts [--after SECONDS] FILE…`: where the processor time of CPU profiles went,
// by the functions that took most of it themselves. What `npm run bench -- NAME --profile DIRECTORY` left is read while the
// compiled programs lie there. `--after` leaves out so many seconds from the start of the process.

import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

type Frame = { functionName: string; url: string; lineNumber: number; columnNumber: number };
type Profile = { nodes: { id: number; callFrame: Frame }[]; samples: number[]; timeDeltas: number[] };

const shown = 20;
const maps = new Map<string, SourceMap | undefined>();

const { values, positionals: files } = parseArgs({
  allowPositionals: true,
  options: { after: { type: 'string', default: '0' } },
});
const skippedSeconds = Number(values.after);
if (!(skippedSeconds >= 0)) throw new Error('--after takes a number of seconds.');

for (const file of files)
  console.log(
    `${path.basename(path.dirname(file))}\n${summarise(JSON.parse(readFileSync(file, 'utf8')) as Profile)}\n`,
  );

function summarise({ nodes, samples, timeDeltas }: Profile): string {
  const nameOf = new Map(nodes.map(({ id, callFrame }) => [id, describe(callFrame)]));
  const seconds = new Map<string, number>();
  let busy = 0;
  let elapsed = 0;
  samples.forEach((id, i) => {
    const name = nameOf.get(id) ?? '';
    const took = (timeDeltas[i] ?? 0) / 1e6;
    elapsed += took;
    if (name === '(idle)' || elapsed <= skippedSeconds) return;
    busy += took;
    seconds.set(name, (seconds.get(name) ?? 0) + took);
  });
  const rows = [...seconds].sort(([, a], [, b]) => b - a).slice(0, shown);
  return rows.map(([name, took]) => `${((took / busy) * 100).toFixed(1).padStart(5)} %  ${name}`).join('\n');
}

/** A function with the source that it stands in, of packages the package alone. */
function describe({ functionName, url, lineNumber, columnNumber }: Frame): string {
  const name = functionName === '' ? '(anonymous)' : functionName;
  if (url === '') return name;
  if (!url.startsWith('file:')) return `${name}  ${url}`;
  const entry = mapOf(fileURLToPath(url))?.findEntry(lineNumber, columnNumber);
  // Packages have no map: what is found for them is the last line of ours that stands before them.
  const isOwn = entry !== undefined && 'originalSource' in entry && entry.generatedLine === lineNumber;
  const source = isOwn ? entry.originalSource : '';
  const own =
    /(?:[\w.-]+\/)?[\w.-]+\/[\w.-]+$/.exec(source)?.[0] ?? path.basename(url).replace(/-[\w-]{8}\.mjs$/, '');
  return `${name}  ${own}`;
}

function mapOf(file: string): SourceMap | undefined {
  if (!maps.has(file))
    try {
      maps.set(file, new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')) as never));
    } catch {
      maps.set(file, undefined);
    }
  return maps.get(file);
}
