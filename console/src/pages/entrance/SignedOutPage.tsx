import { Page } from '../../parts/Page.tsx';

export function SignedOutPage() {
  return <Page title="Signed out">{null}</Page>;
}
