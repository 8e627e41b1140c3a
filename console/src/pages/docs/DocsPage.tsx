import { Anchor, Tabs } from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import { ownPath, pathPrefix } from '../../format/own-path.ts';
import { Icon } from '../../ui/Icon.tsx';
import { Page } from '../../ui/Page.tsx';
import { DocumentFrame } from './DocumentFrame.tsx';
import classes from './docs.module.css';

/** The documents of the service, in the order of their tabs. `service/src/docs/routes.ts` serves them. */
const documents = [
  { id: 'api', name: 'API reference', title: 'API reference', path: '/docs' },
  { id: 'errors', name: 'Errors', title: 'Errors', path: '/docs/errors' },
  { id: 'webhooks', name: 'Webhooks', title: 'Receiving webhooks', path: '/docs/webhooks' },
  { id: 'sandbox', name: 'Sandbox', title: 'The sandbox', path: '/docs/sandbox' },
] as const;

/** The documents that the service serves, inside the console. */
export function DocsPage() {
  const { page } = useParams({ strict: false });
  const navigate = useNavigate();
  const shown = documentOf(page);
  const show = (id: string, replace: boolean) =>
    void (id === documents[0].id
      ? navigate({ to: '/docs', replace })
      : navigate({ to: '/docs/$page', params: { page: id }, replace }));
  const moved = (path: string) => {
    const document = documentAt(path.slice(pathPrefix.length));
    // Some pages of the service are not tabs here: the OpenAPI file and the service's front page.
    if (document !== undefined) show(document.id, true);
  };
  return (
    <Page
      title={shown.title}
      heading="Docs"
      actions={
        <>
          <Anchor href={ownPath('/openapi.json')} target="_blank" rel="noopener" fz="sm">
            OpenAPI <Icon name="external" size={13} />
          </Anchor>
          <Anchor href={ownPath(shown.path)} target="_blank" rel="noopener" fz="sm" ml="sm">
            Open by itself <Icon name="external" size={13} />
          </Anchor>
        </>
      }
    >
      <div>
        <Tabs value={shown.id} onChange={(id) => id !== null && show(id, false)} mb="sm">
          <Tabs.List aria-label="Documents" className={classes['tabs']}>
            {documents.map(({ id, name }) => (
              <Tabs.Tab key={id} value={id}>
                {name}
              </Tabs.Tab>
            ))}
          </Tabs.List>
        </Tabs>
        <DocumentFrame path={ownPath(shown.path)} title={shown.title} onMoved={moved} />
      </div>
    </Page>
  );
}

/** Returns the document with this id, or the first document. */
function documentOf(id: string | undefined): (typeof documents)[number] {
  return documents.find((one) => one.id === id) ?? documents[0];
}

function documentAt(path: string): (typeof documents)[number] | undefined {
  return documents.find((one) => one.path === path);
}
