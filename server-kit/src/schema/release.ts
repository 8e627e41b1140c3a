/**
 * The release of this code, one number for service and studio. It grows by one when a published version has different
 * tables or functions than the version before. A database stores the newest release that prepared it, and the oldest
 * release that may still run on it, which is the one before: docs/upgrading.md. `check-release.ts` decides which code
 * may run on a database.
 */
export const release = 2;
