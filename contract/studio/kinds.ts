export const suites = ['image', 'edit', 'video', 'extend'] as const;
export type Suite = (typeof suites)[number];
/** Where concurrency is counted: extensions count as videos. */
export const lanes = ['image', 'edit', 'video'] as const;
export type Lane = (typeof lanes)[number];
export const kinds = ['image', 'image_edit', 'video', 'video_extend'] as const;
export type Kind = (typeof kinds)[number];
