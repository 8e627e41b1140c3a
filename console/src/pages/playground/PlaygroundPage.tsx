import { Page } from '../../parts/Page.tsx';

export function PlaygroundPage() {
  return <Page title="Playground">{null}</Page>;
}
