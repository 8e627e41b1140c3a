import { Page } from '../../parts/Page.tsx';

export function KeysPage() {
  return <Page title="API keys">{null}</Page>;
}
