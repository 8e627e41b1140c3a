import { Page } from '../../parts/Page.tsx';

export function DeliveriesPage() {
  return <Page title="Deliveries">{null}</Page>;
}
