/**
 * Where a prediction is requested: `OWNER/NAME` is an official model, `OWNER/NAME:VERSION` or a bare version any model,
 * `deployments/OWNER/NAME` one's own deployment.
 */
export interface Endpoint {
  readonly path: string;
  readonly version: string | null;
  /** Owner and name; `null` where there is no model, only a version or a deployment. */
  readonly model: string | null;
}

/** Reads the `endpoint` of a route. */
export function endpointOf(endpoint: string): Endpoint {
  const [name = '', version] = endpoint.split(':');
  const path = name
    .split('/')
    .map((segment) => encodeURIComponent(segment))
    .join('/');
  if (version !== undefined) return { path: '/predictions', version, model: path };
  if (!name.includes('/')) return { path: '/predictions', version: name, model: null };
  if (name.startsWith('deployments/')) return { path: `/${path}/predictions`, version: null, model: null };
  return { path: `/models/${path}/predictions`, version: null, model: path };
}
