import type { Webhook } from '@renderkit/contract/console/schemas/webhook.ts';
import { StatusBadge } from '../../ui/StatusBadge.tsx';
import classes from './endpoint-health.module.css';

/**
 * Shows whether an endpoint is active, failing or paused. `service/sql/functions/record_attempts.sql` decides since
 * when an endpoint is failing.
 */
export function EndpointStatus({ webhook }: { webhook: Webhook }) {
  if (webhook.status === 'paused') return <StatusBadge status="paused" />;
  return <StatusBadge status={webhook.failing_since === null ? 'active' : 'failing'} />;
}

/** Counts of the last 24 hours, and a bar with the share of each outcome. */
export function Health({ health: { delivered, failed, pending } }: { health: Webhook['health'] }) {
  const ended = delivered + failed;
  if (ended + pending === 0) return <span className={classes['nothing']}>Nothing sent</span>;
  return (
    <div className={classes['health']}>
      <div>
        <Count of={delivered} what="delivered" />, <Count of={failed} what="failed" />
        {pending > 0 && (
          <>
            , <Count of={pending} what="pending" />
          </>
        )}
      </div>
      {ended > 0 && (
        <div className={classes['bar']} aria-hidden="true">
          {delivered > 0 && <div style={{ flexGrow: delivered }} data-tone="good" />}
          {failed > 0 && <div style={{ flexGrow: failed }} data-tone="bad" />}
        </div>
      )}
    </div>
  );
}

/** A count. The service counts only up to 1,000. */
function Count({ of, what }: { of: number; what: string }) {
  return (
    <>
      {of >= 1_000 ? '1,000+' : of} {what}
    </>
  );
}
