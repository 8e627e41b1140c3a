import { Page } from '../../parts/Page.tsx';

export function LibraryPage() {
  return <Page title="Library">{null}</Page>;
}
