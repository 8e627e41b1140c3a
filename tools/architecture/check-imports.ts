import type { Issue } from './issue.ts';
import { isTest, type Place, placeOf, resolveFrom, workspaceOf } from './place.ts';
import type { Import, Source } from './read-sources.ts';
import {
  contractLibraries,
  engineRules,
  orderedModules,
  privateRoutes,
  privateStore,
  publicEntries,
  studioFileReaders,
  workspaces,
} from './rules.ts';

type Say = (message: string) => Issue[];

/** Reports a file next to the modules of a folder that is neither listed as wiring nor as base. */
export function placeIssues({ path: file }: Source): Issue[] {
  const { source, module, file: name } = placeOf(file);
  const rules = orderedModules[source ?? ''];
  if (rules === undefined || module !== undefined || isTest(file) || !/\.tsx?$/.test(name)) return [];
  if (rules.wiring.includes(name) || rules.base.includes(name)) return [];
  return [
    {
      path: file,
      message: `stands beside the modules of ${source} and has no place: name it in orderedModules (tools/architecture/rules.ts) as wiring or as base, or move it into a module.`,
    },
  ];
}

/**
 * Reports what is wrong with one import. Workspaces may only import workspaces below them. The same holds for the
 * modules inside a workspace.
 */
export function importIssues(source: Source, { specifier }: Import): Issue[] {
  const from = placeOf(source.path);
  const say: Say = (message) => [{ path: source.path, message: `imports ${specifier}: ${message}` }];
  if (rulesOf(from.workspace) === undefined)
    return say(`the workspace ${from.workspace} has no rules in tools/architecture/rules.ts.`);
  if (specifier.startsWith('@renderkit/')) return packageIssues(source.path, specifier, say);
  if (/^node:fs\b/.test(specifier) && !mayOpenFiles(source.path))
    return say('media are in the blob storage (studioFileReaders in tools/architecture/rules.ts).');
  if (!specifier.startsWith('.')) {
    if (from.workspace !== 'contract' || isTest(source.path)) return [];
    return contractLibraries.includes(specifier)
      ? []
      : say('the contract stands on the schema library alone.');
  }
  const target = placeOf(resolveFrom(source.path, specifier));
  if (target.workspace !== from.workspace) return say('another workspace is imported by its name.');
  return isTest(source.path) ? [] : moduleIssues(from, target, say);
}

function rulesOf(workspace: string): (typeof workspaces)[string] | undefined {
  const [parent, name] = workspace.split('/');
  if (workspace in workspaces || parent !== 'engines' || name === undefined) return workspaces[workspace];
  return { ...engineRules, name: `engine-${name}` };
}

function mayOpenFiles(file: string): boolean {
  return (
    !file.startsWith('studio/src/') || isTest(file) || studioFileReaders.some((shape) => shape.test(file))
  );
}

function packageIssues(file: string, specifier: string, say: Say): Issue[] {
  const importer = workspaceOf(file);
  const rules = rulesOf(importer);
  const [, owner = '', ...rest] = specifier.split('/');
  if (owner === rules?.name)
    return isTest(file) ? [] : say('a workspace imports its own files by their paths.');
  const allowed = [...(rules?.mayImport ?? []), ...((isTest(file) && rules?.testsMayImport) || [])];
  const name = specifier.slice('@renderkit/'.length);
  if (!allowed.some((prefix) => name.startsWith(prefix))) return say(`${importer} may not.`);
  const entries = publicEntries[owner];
  if (entries === undefined || importer === 'bench' || isTest(file)) return [];
  return entries.includes(rest.join('/')) ? [] : say('it is no public entry (tools/architecture/rules.ts).');
}

function moduleIssues(from: Place, target: Place, say: Say): Issue[] {
  const rules = orderedModules[from.source ?? ''];
  if (rules === undefined || from.source !== target.source) return [];
  if (from.module === undefined && rules.base.includes(from.file) && !isBase(target, rules))
    return say(
      `${from.file} is base (tools/architecture/rules.ts), which imports nothing that builds on it.`,
    );
  if (target.module === undefined)
    return rules.wiring.includes(target.file) ? wiringIssues(from, target.file, rules.wiring, say) : [];
  if (from.module === target.module) return [];
  const name = target.file.split('/').at(-1) ?? '';
  if (privateStore.test(name) || (privateRoutes.test(name) && from.module !== undefined))
    return say(`${target.file} belongs to its module: call what that exports for others.`);
  return from.module === undefined ? [] : orderIssues(from.module, target.module, rules.modules, say);
}

function isBase({ module, file }: Place, { base }: { base: readonly string[] }): boolean {
  return module === undefined && base.includes(file);
}

function wiringIssues(from: Place, target: string, wiring: readonly string[], say: Say): Issue[] {
  if (from.module !== undefined) return say('modules know nothing of what puts them together.');
  const own = wiring.indexOf(from.file);
  return own < 0 || own > wiring.indexOf(target) ? say(`${wiring.join(' → ')} is the only direction.`) : [];
}

function orderIssues(from: string, target: string, modules: readonly string[], say: Say): Issue[] {
  const [own, other] = [modules.indexOf(from), modules.indexOf(target)];
  if (own < 0 || other < 0)
    return say('one of the two modules has no place in orderedModules (tools/architecture/rules.ts).');
  if (other < own) return [];
  return say(`${from} does not build on ${target} (orderedModules in tools/architecture/rules.ts).`);
}
