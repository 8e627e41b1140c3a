const queueOrigin = 'https://queue.fal.run';

/** Returns the origins of fal's other services. A compatible server has all of them at its own origin. */
export function falOrigins(url: string): { platform: string; uploads: string; schemas: string } {
  if (new URL(url).origin !== queueOrigin) return { platform: url, uploads: url, schemas: url };
  return {
    platform: 'https://api.fal.ai',
    uploads: 'https://rest.alpha.fal.ai',
    schemas: 'https://fal.ai',
  };
}

export interface RequestPaths {
  readonly id: string;
  readonly status: string;
  readonly response: string;
  readonly cancel: string;
}

/**
 * Returns the paths of a request, for use where fal's own answer with them was lost. A model's sub-path is not part of
 * them.
 */
export function requestPaths(endpoint: string, id: string): RequestPaths {
  const segments = endpoint.split('/').filter(Boolean);
  const isNamespaced = segments[0] === 'workflows' || segments[0] === 'comfy';
  const app = segments.slice(0, isNamespaced ? 3 : 2).join('/');
  const request = `/${app}/requests/${encodeURIComponent(id)}`;
  return { id, status: `${request}/status`, response: request, cancel: `${request}/cancel` };
}
