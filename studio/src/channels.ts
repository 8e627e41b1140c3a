/**
 * Notifications about accounts whose feed has new changes. `app.ts` and `start-worker.ts` connect all channels except
 * the catalog's, by `server-kit/src/db/notify.ts`.
 */
export const changesChannel = 'studio_changes';
/** Notifications about waiting jobs. */
export const jobsChannel = 'studio_jobs';
/**
 * Notifications about published or paused models. Sent by `studio/src/catalog/publish.ts`, received by
 * `open-catalog.ts` beside it.
 */
export const catalogChannel = 'studio_catalog';
/** Notifications about renders whose progress changed. */
export const progressChannel = 'studio_progress';
/** Notifications about renders that somebody begins to watch. */
export const watchesChannel = 'studio_watches';
