import { createLimiter } from './limiter.ts';

/** What `work` answers for each item, in their order; so many are worked on at once. @throws the first error, at once */
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
