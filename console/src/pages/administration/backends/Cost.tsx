import type { ManagedBackend } from '@renderkit/contract/studio/administration/backends.ts';

/** Money that a backend's provider takes, in its currency; a dash where it takes none. */
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

/** An amount of a provider's currency, without its name. */
export function formatMoney(amount: number): string {
  return amount.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 4 });
}
