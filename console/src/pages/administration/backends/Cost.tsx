import type { ManagedBackend } from '@renderkit/contract/studio/administration/backends.ts';

/** Money that a backend's provider charged, in its currency. A dash when the provider charges nothing. */
export function Cost({ backend, amount }: { backend: ManagedBackend; amount: number }) {
  const { currency, max_cost_per_day: max } = backend;
  if (currency === null && amount === 0) return '—';
  return (
    <span style={{ whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' }}>
      {formatMoney(amount)}
      {max !== null && ` of ${formatMoney(max)}`} {currency}
    </span>
  );
}

/** Formats an amount of money without the currency. */
export function formatMoney(amount: number): string {
  return amount.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 4 });
}
