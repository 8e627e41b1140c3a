import { RenderkitError } from 'renderkit/errors';
import { isTransient } from './errors.ts';

/** How many requests of one action run at once. */
const atOnce = 4;
const maxTries = 5;

/** The result of an action on many items. */
export type Outcome<Item> = { done: Item[]; failed: { item: Item; error: Error }[] };

/**
 * Runs an action on each item, a few at a time. Retries temporary errors. One failure does not stop the other items.
 */
export async function tryEach<Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<unknown>,
): Promise<Outcome<Item>> {
  const outcome: Outcome<Item> = { done: [], failed: [] };
  const left = [...items];
  const work = async () => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) {
      const next = item;
      try {
        await withPatience(() => act(next));
        outcome.done.push(item);
      } catch (error) {
        outcome.failed.push({ item, error: error as Error });
      }
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  return outcome;
}

/**
 * Runs an action and retries temporary errors after the time that the service asks for, because requests per minute are
 * limited.
 */
async function withPatience(act: () => Promise<unknown>): Promise<unknown> {
  for (let tries = 1; ; tries++) {
    try {
      return await act();
    } catch (error) {
      if (!isTransient(error) || tries === maxTries) throw error;
      const seconds = RenderkitError.is(error) ? (error.retryAfter ?? 1) : 1;
      await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
    }
  }
}
