import { Page } from '../../parts/Page.tsx';

export function DeliveryPage() {
  return <Page title="Delivery">{null}</Page>;
}
