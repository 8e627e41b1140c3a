import { Page } from '../../parts/Page.tsx';

export function SessionsPage() {
  return <Page title="Sessions">{null}</Page>;
}
