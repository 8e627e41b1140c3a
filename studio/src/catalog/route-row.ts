import { hash } from 'node:crypto';
import {
  type Cost,
  type EngineName,
  type JsonValue,
  onUnknownOf,
  type Route,
} from '@renderkit/engine-kit/route.ts';

/** A route as the claim reads it: the columns of `routes`, without the version that they belong to. */
export type RouteRow = {
  route: number;
  name: string;
  engine: EngineName;
  backends: readonly string[];
  /** Must be contained in a render's shape. */
  needs: { kind?: string; mode?: string; has?: Record<string, true>; options?: Record<string, string> };
  lacks: readonly string[];
  affinity: string | null;
  swap_seconds: number;
  typical_seconds: number;
  opens_after_seconds: number;
  at_once_if_none_up: boolean;
  cost: Cost | null;
  max_per_job: number;
  run_timeout_seconds: number;
  on_unknown: 'ask' | 'fail' | 'retry';
};

/**
 * For routes that set no times themselves. `studio/src/renders/waiting.ts` has the same `typicalSeconds`, and
 * `run-timeout.ts` beside it enforces the same limits.
 */
const swapSeconds = 20;
const typicalSeconds = 30;
const runTimeoutSeconds = { image: 10 * 60, video: 60 * 60 };

/**
 * Returns what the claim needs of a route. `files` are the texts that the route names.
 * `studio/sql/functions/route_takes.sql` compares `needs` and `lacks` with a render.
 */
export function routeRow(route: Route, index: number, files: Readonly<Record<string, string>>): RouteRow {
  const { kind, mode, has = [], lacks = [], options } = route.for ?? {};
  return {
    route: index,
    name: route.name,
    engine: route.engine,
    backends: route.on,
    needs: {
      ...(kind !== undefined && { kind }),
      ...(mode !== undefined && { mode }),
      ...(has.length > 0 && { has: Object.fromEntries(has.map((medium) => [medium, true as const])) }),
      ...(options !== undefined && { options }),
    },
    lacks,
    affinity: route.affinity ?? affinityOf(route, files),
    swap_seconds: route.swap_seconds ?? swapSeconds,
    typical_seconds: route.typical_seconds ?? typicalSeconds,
    opens_after_seconds: route.opens?.after_seconds ?? 0,
    at_once_if_none_up: route.opens?.at_once_if === 'none_up',
    cost: route.cost ?? null,
    max_per_job: route.outputs.max_per_job,
    run_timeout_seconds: route.timeouts?.run ?? runTimeoutSeconds[route.outputs.kind],
    on_unknown: onUnknownOf(route),
  };
}

/**
 * Returns a name for the set of model files that a route makes its engine load: routes with the same name share what is
 * loaded.
 */
function affinityOf(route: Route, files: Readonly<Record<string, string>>): string | null {
  const needed = route.requires?.models ?? [];
  const text = files[route.workflow ?? ''];
  if (needed.length === 0 || text === undefined) return null;
  const graph = JSON.parse(text) as Record<string, { inputs?: Record<string, JsonValue> } | undefined>;
  const names = needed.map(({ input }) => {
    const dot = input.indexOf('.');
    const node = graph[route.nodes?.[input.slice(0, dot)]?.id ?? ''];
    const name = node?.inputs?.[input.slice(dot + 1)];
    return typeof name === 'string' ? name : input;
  });
  return hash('sha256', JSON.stringify([route.engine, ...names.sort()]), 'base64url').slice(0, 16);
}
