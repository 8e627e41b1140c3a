import type { Render } from '@renderkit/contract/studio/schemas/render.ts';

/** Puts the studio's public address before the links of a render as the database keeps it. */
export function presentRender(render: Render, mediaUrl: string): Render {
  return {
    ...render,
    outputs: render.outputs.map((output) => ({
      ...output,
      url: mediaUrl + output.url,
      thumb_url: output.thumb_url === null ? null : mediaUrl + output.thumb_url,
    })),
  };
}
