import { randomUUID } from 'node:crypto';
import { sortedJson } from './confirmation-tokens.ts';
import type { Purchase, PurchaseRequest, Purchases } from './connection.ts';

/** An equal call within this time counts as a repetition. */
const lostForMs = 2 * 60_000;

type Lost = { idempotencyKey: string; at: number };

/**
 * Purchases of a server that has one caller and ends with this caller. `service/src/mcp/exchange-purchases.ts` does the
 * same for `/mcp`.
 */
export class LocalPurchases implements Purchases {
  readonly #lost = new Map<string, Lost[]>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  async take({ tool, arguments: given, signal }: PurchaseRequest): Promise<Purchase> {
    const call = sortedJson({ tool, given });
    const first = this.#takeLost(call);
    const idempotencyKey = first?.idempotencyKey ?? `mcp-${randomUUID()}`;
    const keep = () => {
      const lost = this.#lost.get(call) ?? [];
      this.#lost.set(call, [...lost, { idempotencyKey, at: this.#now() }]);
    };
    return {
      idempotencyKey,
      repeated: first !== undefined,
      end: async (outcome) => {
        if (outcome === 'unknown') keep();
        if (outcome !== 'created') return;
        // The response is not delivered yet. A caller that gives up now never sees it.
        if (signal.aborted) keep();
        else signal.addEventListener('abort', keep, { once: true });
      },
    };
  }

  #takeLost(call: string): Lost | undefined {
    const oldest = this.#now() - lostForMs;
    for (const [key, lost] of this.#lost) {
      const young = lost.filter(({ at }) => at >= oldest);
      if (young.length === 0) this.#lost.delete(key);
      else this.#lost.set(key, young);
    }
    return this.#lost.get(call)?.shift();
  }
}
