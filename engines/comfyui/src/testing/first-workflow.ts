/** ComfyUI's own first workflow, in its API format: a text becomes a square image. `side`: in pixels. */
export function firstWorkflow(checkpoint: string, side = 512) {
  return {
    '3': {
      class_type: 'KSampler',
      inputs: {
        model: ['4', 0],
        seed: 11,
        steps: 20,
        cfg: 6.5,
        sampler_name: 'euler',
        scheduler: 'normal',
        positive: ['6', 0],
        negative: ['7', 0],
        latent_image: ['5', 0],
        denoise: 1,
      },
    },
    '4': { class_type: 'CheckpointLoaderSimple', inputs: { ckpt_name: checkpoint } },
    '5': { class_type: 'EmptyLatentImage', inputs: { width: side, height: side, batch_size: 1 } },
    '6': { class_type: 'CLIPTextEncode', inputs: { text: 'boats in a harbour', clip: ['4', 1] } },
    '7': { class_type: 'CLIPTextEncode', inputs: { text: 'blur', clip: ['4', 1] } },
    '8': { class_type: 'VAEDecode', inputs: { samples: ['3', 0], vae: ['4', 2] } },
    '9': { class_type: 'SaveImage', inputs: { images: ['8', 0], filename_prefix: 'x' } },
  };
}
