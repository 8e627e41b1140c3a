import type { FrameAnswer, StudioAsset, StudioProject } from '@renderkit/contract/studio/schemas/library.ts';
import type { Static } from 'typebox';

export function exampleProject(id: string): StudioProject {
  return { id, title: 'Untitled', updated_at: '2026-11-21T09:30:00.000Z', last_generation: null };
}

export function exampleAsset(id: string, more: Partial<StudioAsset> = {}): StudioAsset {
  return {
    id,
    type: 'image',
    generation_type: 'image',
    url: 'https://studio.example/media/k3/picture.png',
    thumb_url: 'https://studio.example/media/k3/thumb.webp',
    width: 1024,
    height: 1024,
    duration: null,
    aspect_ratio: '1:1',
    nsfw: false,
    favorite: false,
    project_id: 'prj_1',
    prompt_id: 'prm_1',
    created_at: '2026-11-21T09:30:00.000Z',
    ...more,
  };
}

type Answer = { status?: number; json: unknown };

/** Returns the answers of a studio that has every project and item; `undefined` for other operations. */
export function answerOfLibrary(operation: string, path: string, body: string): Answer | undefined {
  const steps = path.split('/').map(decodeURIComponent);
  const id = steps.at(-1) ?? '';
  const sent = () => JSON.parse(body) as Record<string, unknown>;
  const asset = () => exampleAsset(id, { type: steps.at(-2) === 'video' ? 'video' : 'image' });
  switch (operation) {
    case 'getProject':
      return { json: exampleProject(id) };
    case 'createProject':
      return { status: 201, json: { ...exampleProject('prj_new'), ...sent() } };
    case 'renameProject':
      return { json: { ...exampleProject(id), ...sent() } };
    case 'listProjects':
      return { json: { projects: [exampleProject('prj_1')], has_more: false } };
    case 'listAssets':
      return { json: { assets: [exampleAsset('lib_1')], has_more: false } };
    case 'getAsset':
      return { json: asset() };
    case 'favoriteAsset':
      return { json: { ...asset(), ...sent() } };
    case 'lookUpAssets':
      return { json: { assets: (sent()['ids'] as string[]).map((one) => exampleAsset(one)) } };
    case 'moveAssets':
      return { json: { moved: sent()['ids'] } };
    case 'deleteProject':
    case 'deleteAsset':
      return { json: { deleted: true } };
    case 'takeFrame':
      return {
        json: {
          url: 'https://studio.example/media/f2/still.png',
          asset_id: sent()['project_id'] === null ? null : 'lib_still',
        } satisfies Static<typeof FrameAnswer>,
      };
    default:
      return undefined;
  }
}
