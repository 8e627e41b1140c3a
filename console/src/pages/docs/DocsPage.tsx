import { Page } from '../../parts/Page.tsx';

export function DocsPage() {
  return <Page title="Docs">{null}</Page>;
}
