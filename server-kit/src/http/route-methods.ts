import type { FastifyInstance, FastifyRequest } from 'fastify';

declare module 'fastify' {
  interface FastifyInstance {
    /** The methods of a path, in the order in which they were added. HEAD is omitted when there is a GET. */
    methodsAt: (path: string) => string[];
  }
}

type Route = { segments: readonly string[]; methods: readonly string[] };

/** Collects the methods of all routes that are added to a server after this call, for `methodsAt`. */
export function gatherMethods(app: FastifyInstance): void {
  const routes: Route[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    const methods = [method].flat();
    // A route for all methods only refuses requests or forwards them, so it adds no method.
    routes.push({ segments: url.split('/'), methods: methods.includes('TRACE') ? [] : methods });
  });
  app.decorate('methodsAt', (path: string) => {
    const segments = path.split('/').map(decoded);
    const found = routes.filter((route) => isAt(route.segments, segments));
    // The router chooses the route with the most fixed segments.
    const most = Math.max(...found.map(wordsOf));
    const methods = new Set(
      found.filter((route) => wordsOf(route) === most).flatMap((route) => route.methods),
    );
    if (methods.has('GET')) methods.delete('HEAD');
    return [...methods];
  });
}

/**
 * Returns the text for a path that does not have the method of the request; `otherwise` for a path that does not exist.
 */
export function notFoundDetail({ method, url, server }: FastifyRequest, otherwise: string): string {
  const methods = server.methodsAt(url.split('?')[0] ?? '');
  if (methods.length === 0) return otherwise;
  const last = methods.at(-1);
  const listed = methods.length === 1 ? last : `${methods.slice(0, -1).join(', ')} and ${last}`;
  return `There is no ${method} here; this path has ${listed}.`;
}

function wordsOf({ segments }: Route): number {
  return segments.filter((segment) => !segment.startsWith(':') && segment !== '*').length;
}

function isAt(route: readonly string[], path: readonly string[]): boolean {
  for (const [i, segment] of route.entries()) {
    if (segment === '*') return path.length > i;
    if (i >= path.length || (segment.startsWith(':') ? path[i] === '' : path[i] !== segment)) return false;
  }
  return route.length === path.length;
}

function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}
