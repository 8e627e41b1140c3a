import type { Database } from '@renderkit/server-kit/db/database.ts';
import type { Manifest } from '@renderkit/manifests/manifest.ts';
import { selectList } from './store.ts';

/**
 * Models round sides to the sizes they work at. A size that deviates more than this has another shape than its ratio.
 */
const tolerance = 0.06;

/**
 * Returns likely mistakes that do not prevent an offer, in a sentence each. `manifests/src/check-offers.ts` has those
 * that do.
 */
export async function warnOfOffer(database: Database, { tiers, parameters }: Manifest): Promise<string[]> {
  const plans = await selectList(database, 'plans');
  const missing = tiers.filter((tier) => plans?.content.every(({ key }) => key !== tier));
  const sizes = [
    ...parameters.aspect_ratios,
    ...Object.entries(parameters.video_sizes).map(([ratio, size]) => ({ ratio, ...size })),
  ];
  const misshapen = sizes.filter(({ ratio, width, height }) => {
    const [across = 1, down = 1] = ratio.split(':').map(Number);
    return Math.abs(width / height / (across / down) - 1) > tolerance;
  });
  return [
    ...missing.map(
      (plan) =>
        `tiers names the plan ${plan}, which does not exist: nobody has the model by it until it does.`,
    ),
    ...misshapen.map(
      ({ ratio, width, height }) =>
        `The ratio ${ratio} is offered as ${width} × ${height}, which has another shape.`,
    ),
  ];
}
