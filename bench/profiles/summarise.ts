import { readFileSync } from 'node:fs';
import { SourceMap } from 'node:module';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

type Frame = { functionName: string; url: string; lineNumber: number; columnNumber: number };

/** The format of `--cpu-prof`. Deltas are in microseconds, each from the sample before, the first from the start. */
export type Profile = {
  nodes: { id: number; callFrame: Frame }[];
  samples: number[];
  timeDeltas: number[];
};

const shown = 20;
const root = path.resolve(import.meta.dirname, '../..');
/** The bundler begins each module with a line that names its file from the root. */
const moduleLine = /^\/\/(?:#region)? ?((?:[\w@.+-]+\/)+[\w@.+-]+\.\w+)$/;

/** Returns lines by share of the busy time, the first twenty. Samples of the first `afterSeconds` are left out. */
export function summarise({ nodes, samples, timeDeltas }: Profile, afterSeconds = 0): string {
  const nameOf = new Map(nodes.map(({ id, callFrame }) => [id, describe(callFrame)]));
  const seconds = new Map<string, number>();
  let elapsed = 0;
  let busy = 0;
  samples.forEach((id, i) => {
    const took = (timeDeltas[i] ?? 0) / 1e6;
    elapsed += took;
    const name = nameOf.get(id) ?? '';
    if (name === '(idle)' || elapsed <= afterSeconds) return;
    busy += took;
    seconds.set(name, (seconds.get(name) ?? 0) + took);
  });
  if (busy === 0) return `nothing was sampled after ${afterSeconds} s`;
  const rows = [...seconds].sort(([, a], [, b]) => b - a).slice(0, shown);
  return rows.map(([name, took]) => `${((took / busy) * 100).toFixed(1).padStart(5)} %  ${name}`).join('\n');
}

/** Returns a function's name with its source file. */
function describe({ functionName, url, lineNumber, columnNumber }: Frame): string {
  const name = functionName === '' ? '(anonymous)' : functionName;
  if (url === '') return name;
  if (!url.startsWith('file:')) return `${name}  ${url}`;
  return `${name}  ${sourceOf(fileURLToPath(url), lineNumber, columnNumber)}`;
}

/**
 * Returns the source path from the root, for packages without node_modules. Returns the file itself if neither a map
 * nor the bundler's lines name a source.
 */
function sourceOf(file: string, line: number, column: number): string {
  const { map, modules } = bundleOf(file);
  const entry = map?.findEntry(line, column);
  // Packages have no map: for them `findEntry` returns our last line before them.
  if (entry !== undefined && 'originalSource' in entry && entry.generatedLine === line)
    return fromRoot(path.resolve(path.dirname(file), entry.originalSource));
  return modules.findLast(({ from }) => from <= line)?.source ?? fromRoot(file);
}

type Bundle = { map: SourceMap | undefined; modules: { from: number; source: string }[] };

const bundles = new Map<string, Bundle>();

function bundleOf(file: string): Bundle {
  const known = bundles.get(file);
  if (known !== undefined) return known;
  const text = readIfThere(`${file}.map`);
  const modules = (readIfThere(file)?.split('\n') ?? []).flatMap((line, from) => {
    const source = moduleLine.exec(line)?.[1];
    return source === undefined ? [] : [{ from, source: withoutModules(source) }];
  });
  const bundle = { map: text === undefined ? undefined : new SourceMap(JSON.parse(text) as never), modules };
  bundles.set(file, bundle);
  return bundle;
}

function readIfThere(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return undefined;
  }
}

function fromRoot(file: string): string {
  return withoutModules(path.relative(root, file).replaceAll('\\', '/'));
}

function withoutModules(source: string): string {
  return source.replace(/^.*node_modules\//, '');
}
