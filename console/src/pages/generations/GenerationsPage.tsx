import { Page } from '../../parts/Page.tsx';

export function GenerationsPage() {
  return <Page title="Generations">{null}</Page>;
}
