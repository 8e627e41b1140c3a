/**
 * Facts about single classes, as tables. All other classes are judged by their inputs and outputs. `find-outputs.ts`
 * and `find-media.ts` apply the first two.
 */

/** Classes that save or show results: the kind of result, and the input that receives it. */
export const outputNodes: Readonly<
  Record<string, { kind: 'image' | 'video' | 'audio' | 'preview'; from: string }>
> = {
  SaveImage: { kind: 'image', from: 'images' },
  SaveImageWebsocket: { kind: 'image', from: 'images' },
  SaveAnimatedWEBP: { kind: 'video', from: 'images' },
  SaveAnimatedPNG: { kind: 'video', from: 'images' },
  SaveVideo: { kind: 'video', from: 'video' },
  SaveWEBM: { kind: 'video', from: 'images' },
  VHS_VideoCombine: { kind: 'video', from: 'images' },
  SaveAudio: { kind: 'audio', from: 'audio' },
  SaveAudioMP3: { kind: 'audio', from: 'audio' },
  SaveAudioOpus: { kind: 'audio', from: 'audio' },
  PreviewAudio: { kind: 'audio', from: 'audio' },
  PreviewImage: { kind: 'preview', from: 'images' },
  PreviewAny: { kind: 'preview', from: 'source' },
};

/** Inputs through which a loader gets its file, by class. */
export const mediaLoaders: Readonly<
  Record<string, { media: 'image' | 'mask' | 'video' | 'audio'; input: string }>
> = {
  LoadImage: { media: 'image', input: 'image' },
  LoadImageOutput: { media: 'image', input: 'image' },
  LoadImageMask: { media: 'mask', input: 'image' },
  VHS_LoadImagePath: { media: 'image', input: 'image' },
  ETN_LoadImageBase64: { media: 'image', input: 'image' },
  ETN_LoadMaskBase64: { media: 'mask', input: 'mask' },
  LoadVideo: { media: 'video', input: 'file' },
  VHS_LoadVideo: { media: 'video', input: 'video' },
  VHS_LoadVideoPath: { media: 'video', input: 'video' },
  LoadAudio: { media: 'audio', input: 'audio' },
};

/** Folders of ComfyUI's `models` for the file of an input: by `class.input`, else by input. */
const modelFolders: Readonly<Record<string, string>> = {
  'CLIPVisionLoader.clip_name': 'clip_vision',
  'UpscaleModelLoader.model_name': 'upscale_models',
  ckpt_name: 'checkpoints',
  unet_name: 'diffusion_models',
  vae_name: 'vae',
  clip_name: 'text_encoders',
  clip_name1: 'text_encoders',
  clip_name2: 'text_encoders',
  clip_name3: 'text_encoders',
  clip_name4: 'text_encoders',
  lora_name: 'loras',
  control_net_name: 'controlnet',
  style_model_name: 'style_models',
  gligen_name: 'gligen',
  hypernetwork_name: 'hypernetworks',
  photomaker_model_name: 'photomaker',
  audio_encoder_name: 'audio_encoders',
};

/** Returns the folder of `models` for the file of an input, or undefined if it is not known. */
export function modelFolder(classType: string, input: string): string | undefined {
  const known = (key: string): string | undefined =>
    Object.hasOwn(modelFolders, key) ? modelFolders[key] : undefined;
  return known(`${classType}.${input}`) ?? known(input);
}

/** Returns a row of one of these tables. Safe for names that come from files. */
export function rowOf<T>(table: Readonly<Record<string, T>>, key: string): T | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}
