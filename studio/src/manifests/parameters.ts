import type { Route } from '@renderkit/engine-kit/route.ts';
import { sourcesOf } from './check-bindings.ts';
import type { Manifest } from './manifest.ts';
import { splitTarget } from './workflow-file.ts';

/** An input of a route that comes from the request. */
export interface Parameter {
  /** What a user knows it by: `prompt`, or the key of an option. */
  readonly name: string;
  readonly route: string;
  /** As in the manifest: `positive.text`, `/prompt`. */
  readonly target: string;
  /** Id of the workflow's node; null where there is none. */
  readonly node: string | null;
  /** First of the sources. */
  readonly source: string;
  readonly sources: readonly string[];
  readonly sure: 'sure' | 'likely' | 'guess';
  readonly reason: string;
}

/** What the routes of a manifest set from requests, in their order. Engines that read the request themselves have none. */
export function parametersOf({ routes }: Manifest): Parameter[] {
  return routes.flatMap((route) =>
    Object.entries(route.set).flatMap(([target, binding]): Parameter[] => {
      const sources = sourcesOf(binding).filter((source) => !source.startsWith('job.'));
      const [source] = sources;
      if (source === undefined) return [];
      const node = nodeOf(route, target);
      const reason = 'the manifest says so';
      return [
        { name: nameOf(source), route: route.name, target, node, source, sources, sure: 'sure', reason },
      ];
    }),
  );
}

/** What a user knows a source by. */
export function nameOf(source: string): string {
  return source.replace(/^options\./, '');
}

function nodeOf({ nodes }: Route, target: string): string | null {
  return nodes?.[splitTarget(target)[0]]?.id ?? null;
}
