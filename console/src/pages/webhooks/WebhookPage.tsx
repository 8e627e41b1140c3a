import { Page } from '../../parts/Page.tsx';

export function WebhookPage() {
  return <Page title="Webhook">{null}</Page>;
}
