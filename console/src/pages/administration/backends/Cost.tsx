import type { ManagedBackend } from '@renderkit/contract/studio/administration/backends.ts';

/** Money that a backend's provider takes, in its currency; a dash where it takes none. */
export function Cost({ backend, amount }: { backend: ManagedBackend; amount: number }) {
  const { currency, max_cost_per_day: max } = backend;
  if (currency === null && amount === 0) return '—';
  return (
    <span style={{ whiteSpace: 'nowrap', fontVariantNumeric: 'tabular-nums' }}>
      {formatMoney(amount, currency)}
      {max !== null && ` of ${formatMoney(max, currency)}`}
    </span>
  );
}

function formatMoney(amount: number, currency: string | null): string {
  const options = { minimumFractionDigits: 2, maximumFractionDigits: 4 };
  return `${amount.toLocaleString('en', options)} ${currency ?? ''}`.trim();
}
