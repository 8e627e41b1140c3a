import { createLimiter } from './limiter.ts';

/**
 * Returns the results of `work` for all items, in their order. At most `slots` items are processed at once.
 * @throws the first error, at once
 */
export async function mapInSlots<Item, Result>(
  slots: number,
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const limiter = createLimiter({ slots });
  return Promise.all(
    items.map(async (item) => {
      using _ = await limiter.enter();
      return await work(item);
    }),
  );
}
