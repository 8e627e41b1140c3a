import type { Purchase, PurchaseRequest, Purchases } from '@renderkit/mcp/http';
import type { FacadeCall, FacadeCalls } from '../facades/facade-calls.ts';

/**
 * The creates of one HTTP exchange. When the exchange is lost and repeated, any process finds its creates again
 * (decision 0046). A create counts as delivered when the answer that contains it was sent completely. The caller is
 * `clients/mcp/src/tools/purchase.ts`, which also asks for confirmations.
 */
export class ExchangePurchases implements Purchases {
  readonly #calls: FacadeCalls;
  readonly #accountId: string;
  readonly #created: FacadeCall<object>[] = [];
  #ended: 'answered' | 'gone' | undefined;

  constructor(calls: FacadeCalls, accountId: string) {
    this.#calls = calls;
    this.#accountId = accountId;
  }

  async take({ tool, arguments: given }: PurchaseRequest): Promise<Purchase> {
    const call = await this.#calls.take({
      accountId: this.#accountId,
      route: `mcp.${tool}`,
      identity: given,
      request: {},
      repeats: false,
    });
    return {
      idempotencyKey: call.id,
      repeated: call.adopted,
      end: async (outcome) => {
        if (outcome === 'refused') return call.forgotten();
        if (outcome === 'unknown' || this.#ended === 'gone') return call.lost();
        this.#created.push(call);
      },
    };
  }

  /** The caller must call this once, when the exchange is over. */
  async end(how: 'answered' | 'gone'): Promise<void> {
    this.#ended = how;
    await Promise.all(this.#created.map((call) => (how === 'answered' ? call.delivered() : call.lost())));
  }
}
