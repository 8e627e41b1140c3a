import type { Render } from '@renderkit/contract/studio/schemas/render.ts';

/**
 * Adds the studio's public address to the links of a render, which the database stores without it.
 * `studio/sql/functions/render_json.sql` makes the rest of the answer.
 */
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
