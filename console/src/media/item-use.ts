/**
 * The fields of the playground's form that accept an item of the library. `takes` in
 * `console/src/pages/playground/PlaygroundPage.tsx` decides whether a model accepts the item.
 */
export const itemUses = ['image', 'reference_images', 'start_image', 'source_video', 'video'] as const;
export type ItemUse = (typeof itemUses)[number];

/** Returns whether a field accepts images or videos. */
export function typeOfUse(use: ItemUse): 'image' | 'video' {
  return use === 'video' || use === 'source_video' ? 'video' : 'image';
}
