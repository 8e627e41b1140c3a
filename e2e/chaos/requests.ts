import { comfyModel } from './comfyui.ts';

export type CreateRequest = { path: string; body: Record<string, unknown> };

/** How often each kind is drawn; the rest are small pictures. A video costs what a hundred of them do. */
const shares = { editOfUpload: 0.1, editOfUrl: 0.06, video: 0.01 };
/** Of the small pictures those that a ComfyUI makes. */
const comfyShare = 0.4;

/** One of the creates, drawn by chance. `upload` sends a picture and answers its id, if it was taken. */
export async function drawRequest(options: {
  number: number;
  random: () => number;
  /** Some ask for its model. */
  comfyui: boolean;
  pictureUrl: string;
  upload: () => Promise<string | undefined>;
}): Promise<CreateRequest> {
  const prompt = `a quiet lake, number ${options.number}`;
  const drawn = options.random();
  if (drawn < shares.video) return { path: '/v1/videos/generations', body: { prompt, duration: 3 } };
  if (drawn < shares.video + shares.editOfUrl)
    return { path: '/v1/images/edits', body: { prompt, image: options.pictureUrl } };
  if (drawn < shares.video + shares.editOfUrl + shares.editOfUpload) {
    const image = await options.upload();
    // Named at once: as a rule it is still being looked at, and the edit waits for it.
    if (image !== undefined) return { path: '/v1/images/edits', body: { prompt, image } };
  }
  const model = options.random() < comfyShare && options.comfyui ? comfyModel : 'sketch-1';
  return { path: '/v1/images/generations', body: { model, prompt } };
}
