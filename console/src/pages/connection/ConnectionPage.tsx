import { Page } from '../../parts/Page.tsx';

export function ConnectionPage() {
  return <Page title="Connection">{null}</Page>;
}
