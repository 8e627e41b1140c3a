import { RenderkitError } from 'renderkit/errors';
import { isTransient } from './errors.ts';

/** Requests of one act that are under way at once. */
const atOnce = 4;
const maxTries = 5;

/** How an act on many things went. */
export type Outcome<Item> = { done: Item[]; failed: { item: Item; error: Error }[] };

/** Does the same with each of many things, a few at a time; what passes is tried again, and one that fails holds up no other. */
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

/** Tries again what passes, after the time that the service asks for: a minute has only so many requests. */
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
