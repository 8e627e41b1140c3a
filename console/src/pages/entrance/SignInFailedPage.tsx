import { Page } from '../../parts/Page.tsx';

export function SignInFailedPage() {
  return <Page title="Signing in failed">{null}</Page>;
}
