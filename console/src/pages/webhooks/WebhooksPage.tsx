import { Page } from '../../parts/Page.tsx';

export function WebhooksPage() {
  return <Page title="Webhooks">{null}</Page>;
}
