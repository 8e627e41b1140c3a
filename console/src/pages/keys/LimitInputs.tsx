import { NumberInput, type NumberInputProps } from '@mantine/core';
import { maxDailyBudgetCredits, maxKeyRateLimitPerMinute } from '@renderkit/contract/console/limits.ts';

/** `service/src/budgets/budget.ts` refuses creates over the budget. */
export function BudgetInput(props: NumberInputProps) {
  return (
    <NumberInput
      label="Daily budget in credits"
      description="Empty: no budget. 0: nothing."
      min={0}
      max={maxDailyBudgetCredits}
      decimalScale={3}
      thousandSeparator=","
      miw="9rem"
      {...props}
    />
  );
}

/**
 * The price above which a program must ask the person it works for. `clients/cli/src/price.ts` and
 * `clients/mcp/src/tools/purchase.ts` ask.
 */
export function ConfirmInput(props: NumberInputProps) {
  return (
    <BudgetInput
      label="Ask above, in credits"
      description="Command line and agents ask before they spend more at once. Empty: never."
      {...props}
    />
  );
}

/** `refuseOverLimit` in `service/src/identity/admission/admit.ts` refuses requests over the rate. */
export function RateInput(props: NumberInputProps) {
  return (
    <NumberInput
      label="Requests a minute"
      description="Past it requests answer 429."
      min={1}
      max={maxKeyRateLimitPerMinute}
      allowDecimal={false}
      thousandSeparator=","
      miw="9rem"
      {...props}
    />
  );
}
