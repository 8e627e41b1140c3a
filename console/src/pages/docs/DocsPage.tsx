import { Anchor, Tabs } from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import { Icon } from '../../ui/Icon.tsx';
import { Page } from '../../ui/Page.tsx';
import { DocumentFrame } from './DocumentFrame.tsx';
import classes from './docs.module.css';
import { documentAt, documentOf, documents } from './documents.ts';

/** The documents that the service serves, in the console's frame. */
export function DocsPage() {
  const { page } = useParams({ strict: false });
  const navigate = useNavigate();
  const shown = documentOf(page);
  const show = (id: string, replace: boolean) =>
    void (id === documents[0].id
      ? navigate({ to: '/docs', replace })
      : navigate({ to: '/docs/$page', params: { page: id }, replace }));
  const moved = (path: string) => {
    const document = documentAt(path);
    // Something that is no document here: the OpenAPI file, or the service's front page.
    if (document !== undefined) show(document.id, true);
  };
  return (
    <Page
      title={shown.title}
      wide
      actions={
        <>
          <Anchor href="/openapi.json" target="_blank" rel="noopener" fz="sm">
            OpenAPI <Icon name="external" size={13} />
          </Anchor>
          <Anchor href={shown.path} target="_blank" rel="noopener" fz="sm" ml="sm">
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
        <DocumentFrame path={shown.path} title={shown.title} onMoved={moved} />
      </div>
    </Page>
  );
}
