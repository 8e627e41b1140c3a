import assert from 'node:assert/strict';
import type { ModelFiles } from '@renderkit/studio/catalog/publish.ts';
import { readManifest } from '@renderkit/manifests/read-manifest.ts';
import { makeImage } from './media-files.ts';

const workflow = JSON.stringify({
  1: { class_type: 'EmptyImage', inputs: { width: 8, height: 8, batch_size: 1, color: 3_368_601 } },
  9: { class_type: 'SaveImage', inputs: { images: ['1', 0], filename_prefix: 'own' } },
});
const sourceOf = (id: string) => `
manifest: 1
id: ${id}
name: Own
suites: [image]
batch_size: { Conjure: 1 }
parameters: { aspect_ratios: [{ ratio: '1:1', width: 64, height: 64 }] }
price: { base_millicredits: 1000 }
routes:
  - name: own
    engine: comfyui
    on: [gpu1]
    workflow: ./own.workflow.json
    nodes: { image: { id: '1', class: EmptyImage }, save: { id: '9', class: SaveImage } }
    set: { image.width: { from: width }, image.height: { from: height } }
    outputs: { from: [save], kind: image, max_per_job: 1 }
`;

/** Returns a model with this id on the machine `gpu1`. With a colour, an image of it is the thumbnail. */
export async function ownModel(id: string, colour?: string): Promise<ModelFiles> {
  const source = sourceOf(id);
  const { manifest } = readManifest(source);
  assert.ok(manifest);
  const image = colour === undefined ? undefined : { name: 'image.png', bytes: await makeImage({ colour }) };
  return { manifest, source, files: { 'own.workflow.json': workflow }, ...(image && { image }) };
}
