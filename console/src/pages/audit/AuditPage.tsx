import { Page } from '../../parts/Page.tsx';

export function AuditPage() {
  return <Page title="Audit log">{null}</Page>;
}
