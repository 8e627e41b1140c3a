import { numberOf } from './amounts.ts';
import { CliError, exitCodes } from './cli-error.ts';
import type { Session } from './session.ts';

/** Options of whatever costs. */
export const priceOptions = {
  'max-credits': { form: 'N', about: 'refuse what costs more, before anything is sent' },
  yes: { short: 'y', about: 'ask nobody, whatever it costs' },
} as const;

/** What a key asks above, where the service says nothing of it. */
const confirmAboveDefault = 25;

/**
 * Lets through what may be spent: up to `--max-credits`, whatever it is with `--yes`, else what the key lets through
 * (`confirm_above`) or a person agrees to.
 *
 * @returns what the create may cost at most, to be sent with it: a price may rise after it was told. Undefined where any price is let through
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
  // A service of before has no such field.
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
