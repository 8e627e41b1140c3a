/** Notifications about accounts whose feed has new changes. */
export const changesChannel = 'studio_changes';
/** Notifications about waiting jobs. */
export const jobsChannel = 'studio_jobs';
/** Notifications about published or paused models. */
export const catalogChannel = 'studio_catalog';
/** Notifications about renders whose progress changed. */
export const progressChannel = 'studio_progress';
/** Notifications about renders that somebody begins to watch. */
export const watchesChannel = 'studio_watches';
