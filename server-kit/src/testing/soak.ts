/** Whether this is `npm run soak`: all kill points, two hundred kills, all models. `npm run test:slow` takes some of each. */
export const soaking = process.env['SOAK'] === '1';

/** For a test's `skip`: one that is left out otherwise, because another stands for the same loop. */
export const unlessSoaking: string | false = !soaking && 'part of npm run soak';
