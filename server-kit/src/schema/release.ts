/**
 * The release of this code, one number for service and studio. It grows by one when a published version brings other
 * tables or other functions than the one before. A database remembers the newest release that prepared it, and the
 * oldest that may still run on it, which is the one before: docs/upgrading.md.
 */
export const release = 2;
