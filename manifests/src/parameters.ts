import type { Route } from '@renderkit/engine-kit/route.ts';
import { sourcesOf } from './check-machine.ts';
import type { Manifest } from './manifest.ts';
import { splitTarget } from './workflow-file.ts';

/** An input of a route that comes from the request. */
export interface Parameter {
  /** The name that a user sees: `prompt`, or the key of an option. */
  readonly name: string;
  readonly route: string;
  /** Spelled as in the manifest: `positive.text`, `/prompt`. */
  readonly target: string;
  /** Id of the workflow's node; `null` where there is none. */
  readonly node: string | null;
  /** The first of `sources`. */
  readonly source: string;
  readonly sources: readonly string[];
  readonly sure: 'sure' | 'likely' | 'guess';
  readonly reason: string;
  /** Whether a person wrote or confirmed it. A guess that nobody has confirmed is not used. */
  readonly confirmed: boolean;
}

/**
 * The result of importing a workflow. `studio/src/administration/propose-model.ts` makes it, by
 * `engines/comfyui/src/detect-parameters.ts`.
 */
export interface ImportFindings {
  /** Includes guesses. */
  readonly parameters: readonly Parameter[];
  readonly warnings: readonly string[];
}

/**
 * Returns what the routes of a manifest set from requests, in the manifest's order. Engines that read the request
 * themselves have none.
 */
export function parametersOf({ routes }: Manifest): Parameter[] {
  return routes.flatMap((route) =>
    Object.entries(route.set).flatMap(([target, binding]): Parameter[] => {
      const sources = sourcesOf(binding).filter((source) => !source.startsWith('job.'));
      const [source] = sources;
      if (source === undefined) return [];
      const node = nodeOf(route, target);
      const reason = 'the manifest says so';
      return [
        {
          name: nameOf(source),
          route: route.name,
          target,
          node,
          source,
          sources,
          sure: 'sure',
          reason,
          confirmed: true,
        },
      ];
    }),
  );
}

/**
 * Returns the same parameters with the import's descriptions, and then the import's guesses that the manifest does not
 * use.
 */
export function describedParameters(manifest: Manifest, imported: ImportFindings | null): Parameter[] {
  const bound = parametersOf(manifest);
  if (imported === null) return bound;
  const isBound = ({ route, target }: Parameter) =>
    bound.some((one) => one.route === route && one.target === target);
  const isThere = ({ route, target }: Parameter) =>
    manifest.routes.some(
      ({ name, nodes }) => name === route && nodes?.[splitTarget(target)[0]] !== undefined,
    );
  return [
    ...bound.map((one) => {
      const found = imported.parameters.find(
        ({ route, target, source }) => route === one.route && target === one.target && source === one.source,
      );
      // A guess is only in a manifest because a person put it there.
      return found === undefined ? one : { ...found, confirmed: found.sure === 'guess' };
    }),
    ...imported.parameters.filter((one) => one.sure === 'guess' && !isBound(one) && isThere(one)),
  ];
}

/** Returns the name of a source that a user sees. */
export function nameOf(source: string): string {
  return source.replace(/^options\./, '');
}

function nodeOf({ nodes }: Route, target: string): string | null {
  return nodes?.[splitTarget(target)[0]]?.id ?? null;
}
