import { Page } from '../../parts/Page.tsx';

export function GenerationPage() {
  return <Page title="Generation">{null}</Page>;
}
