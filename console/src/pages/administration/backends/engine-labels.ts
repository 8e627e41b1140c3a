/**
 * Labels of engines, and examples of their addresses. `engines/registry/src/drivers.ts` and
 * `engines/registry/src/open-engines.ts` list the engines.
 */
const engines: Readonly<Record<string, { label: string; address?: string }>> = {
  comfyui: { label: 'ComfyUI', address: 'http://10.0.0.5:8188' },
  a1111: { label: 'A1111', address: 'http://10.0.0.7:7860' },
  'openai-images': { label: 'Images by OpenAI’s API', address: 'https://api.openai.com/v1' },
  'openai-videos': { label: 'Videos by OpenAI’s API', address: 'http://10.0.0.8:8000/v1' },
  fal: { label: 'fal' },
  replicate: { label: 'Replicate' },
  command: { label: 'A program of the workers’ machine' },
  procedural: { label: 'Drawn by the product' },
  sandbox: { label: 'Sandbox' },
};

/** Returns the label of an engine. Returns the engine's own name when the console has no label for it. */
export function engineLabel(engine: string): string {
  return engines[engine]?.label ?? engine;
}

export function exampleAddress(engine: string): string | undefined {
  return engines[engine]?.address;
}
