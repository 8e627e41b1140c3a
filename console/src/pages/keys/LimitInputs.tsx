import { NumberInput, type NumberInputProps } from '@mantine/core';

export function BudgetInput(props: NumberInputProps) {
  return (
    <NumberInput
      label="Daily budget in credits"
      description="Empty: no budget. 0: nothing."
      min={0}
      max={1_000_000_000}
      decimalScale={3}
      thousandSeparator=","
      miw="9rem"
      {...props}
    />
  );
}

export function RateInput(props: NumberInputProps) {
  return (
    <NumberInput
      label="Requests a minute"
      description="Past it requests answer 429."
      min={1}
      max={1_000_000}
      allowDecimal={false}
      thousandSeparator=","
      miw="9rem"
      {...props}
    />
  );
}
