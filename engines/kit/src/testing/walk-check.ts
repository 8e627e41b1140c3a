import type { CheckedStep, FullCheck } from '../full-check.ts';

/** Walks a full check of the backend at an address, and returns the steps by their names. */
export async function walkCheck(
  check: FullCheck,
  url: string,
  spend = 0,
): Promise<Record<string, CheckedStep>> {
  const tools = {
    backend: { name: 'checked', url, headers: {}, secret: 'check-key', egressAllow: ['127.0.0.0/8'] },
    log: { warn: () => {}, debug: () => {} },
    pollMs: { first: 1, quiet: 5 },
  };
  const budget = { spend, reserve: () => Promise.resolve(() => Promise.resolve()) };
  const steps = await Array.fromAsync(check(tools, AbortSignal.timeout(600_000), budget));
  return Object.fromEntries(steps.map((step) => [step.name, step]));
}
