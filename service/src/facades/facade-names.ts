/** Doors for clients of other APIs, as FACADES names them. */
export const facadeNames = ['openai', 'a1111'] as const;
export type FacadeName = (typeof facadeNames)[number];
