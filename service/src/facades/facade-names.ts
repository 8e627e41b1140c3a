/** The APIs of other services that the facades offer, as FACADES names them. `start-facades.ts` opens them. */
export const facadeNames = ['openai', 'a1111'] as const;
export type FacadeName = (typeof facadeNames)[number];
