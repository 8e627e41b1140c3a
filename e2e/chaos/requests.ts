import { comfyModel } from './comfyui.ts';

export type CreateRequest = { path: string; body: Record<string, unknown> };

/** The share of each kind; the rest are small pictures. A video takes as much work as a hundred of them. */
const shares = { editOfUpload: 0.1, editOfUrl: 0.06, video: 0.01 };
/** The share of small pictures that the ComfyUI makes. */
const comfyShare = 0.4;

/** Returns a random create. `upload` sends a picture and returns its id, if it was accepted. */
export async function drawRequest(options: {
  number: number;
  random: () => number;
  /** Whether some requests use its model. */
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
    // Uses the upload at once. Usually the studio is still checking it, and the edit waits for the check.
    if (image !== undefined) return { path: '/v1/images/edits', body: { prompt, image } };
  }
  const model = options.random() < comfyShare && options.comfyui ? comfyModel : 'sketch-1';
  return { path: '/v1/images/generations', body: { model, prompt } };
}
