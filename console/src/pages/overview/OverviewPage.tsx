import { Page } from '../../parts/Page.tsx';

export function OverviewPage() {
  return <Page title="Overview">{null}</Page>;
}
