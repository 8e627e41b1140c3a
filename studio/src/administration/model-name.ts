import { readYaml } from '@renderkit/manifests/read-yaml.ts';

/** The price of a model whose time was not measured: the least that a generation costs. In 1/1000 credit. */
export const initialMillicredits = 1_000;

/** Returns whether a file is a manifest: YAML always is, JSON if it begins with the key `manifest`. */
export function isManifest(fileName: string, text: string): boolean {
  if (/\.ya?ml$/i.test(fileName)) return true;
  return /\.json$/i.test(fileName) && /^\s*\{\s*"manifest"\s*:/.test(text);
}

/** Returns the id that a manifest names, whatever else is wrong with it; `null` if none can be read. */
export function idOfManifest(text: string): string | null {
  const { root } = readYaml(text);
  const id = root?.type === 'map' ? root.entries.get('id')?.node : undefined;
  return id?.type === 'scalar' && typeof id.value === 'string' ? id.value : null;
}

/** `My Portrait (2).workflow.json` makes the model my-portrait-2. */
export function modelIdOf(fileName: string): string {
  const [stem = ''] = fileName.split('.');
  const id = stem
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '');
  return id === '' ? 'workflow' : id;
}

export function modelNameOf(id: string): string {
  return `${id.charAt(0).toUpperCase()}${id.slice(1).replaceAll('-', ' ')}`;
}
