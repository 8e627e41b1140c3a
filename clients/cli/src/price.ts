import { numberOf } from './amounts.ts';
import { CliError, exitCodes } from './cli-error.ts';
import type { Session } from './session.ts';

/** Options of every command that costs credits. */
export const priceOptions = {
  'max-credits': { form: 'N', about: 'refuse what costs more, before anything is sent' },
  yes: { short: 'y', about: 'ask nobody, whatever it costs' },
} as const;

/**
 * Default of `confirm_above`, when the service does not return it. The service has the same default in
 * `contract/v1/limits.ts`.
 */
const confirmAboveDefault = 25;

/**
 * Checks whether the price may be spent. `--max-credits` sets a limit and `--yes` allows any price. Otherwise the price
 * must not exceed the key's `confirm_above`, or a person must agree. `clients/mcp/src/tools/purchase.ts` has the rule
 * for agents. `service/src/budgets/budget.ts` enforces the price that is sent.
 *
 * @returns the highest price to send with the create, because a price may rise after the estimate. `undefined` when any
 *   price is allowed
 * @throws CliError `over_max_credits` or `not_confirmed`, exit code 5; nothing was sent
 */
export async function checkPrice(
  session: Session,
  values: { 'max-credits'?: string; yes?: boolean },
  estimate: () => Promise<{ credits: number; balance: number | null }>,
): Promise<number | undefined> {
  const max =
    values['max-credits'] === undefined ? undefined : numberOf(values['max-credits'], 'max-credits');
  if (max === undefined && values.yes === true) return undefined;
  const { credits, balance } = await estimate();
  if (max !== undefined) {
    if (credits <= max) return max;
    throw new CliError(`This costs ${credits} credits, more than ${max}. Nothing was sent.`, {
      exitCode: exitCodes.money,
      code: 'over_max_credits',
      advice: `Raise --max-credits to ${credits}, or choose a cheaper model.`,
    });
  }
  if (credits === 0) return credits;
  // An older service does not have this field.
  const { confirm_above: above = confirmAboveDefault } = (await session.client.account.key()) as {
    confirm_above?: number | null;
  };
  if (above === null) return undefined;
  if (credits <= above) return credits;
  const price = `This costs ${credits} credits${balance === null ? '' : ` of ${balance}`}`;
  if (!session.output.canAsk)
    throw new CliError(`${price}, and the key asks a person above ${above}. Nothing was sent.`, {
      exitCode: exitCodes.money,
      code: 'not_confirmed',
      advice: `Add --yes, or --max-credits ${credits}.`,
    });
  if (await session.output.confirm(`${price}. Go on?`)) return credits;
  throw new CliError('Nothing was sent.', { exitCode: exitCodes.money, code: 'not_confirmed' });
}
