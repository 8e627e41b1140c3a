/** Where word goes of accounts whose feed moved. */
export const changesChannel = 'studio_changes';
/** Where word goes of jobs that wait. */
export const jobsChannel = 'studio_jobs';
/** Where word goes of what is published or paused. */
export const catalogChannel = 'studio_catalog';
/** Where word goes of renders whose progress moved. */
export const progressChannel = 'studio_progress';
/** Where word goes of renders that somebody begins to watch. */
export const watchesChannel = 'studio_watches';
