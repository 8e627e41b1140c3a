/**
 * True in `npm run soak`, which runs all kill points, two hundred kills and all models. `npm run test:slow` runs some
 * of each.
 */
export const soaking = process.env['SOAK'] === '1';

/** For the `skip` of a test that runs only in `npm run soak`, because another test covers the same loop. */
export const unlessSoaking: string | false = !soaking && 'part of npm run soak';
