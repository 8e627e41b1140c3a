import { Anchor, Tabs, useComputedColorScheme } from '@mantine/core';
import { useNavigate, useParams } from '@tanstack/react-router';
import { Icon } from '../../parts/Icon.tsx';
import { Page } from '../../parts/Page.tsx';
import classes from './docs.module.css';
import { documentOf, documents } from './documents.ts';

/** The documents that the service serves, in the console's frame. */
export function DocsPage() {
  const { page } = useParams({ strict: false });
  const navigate = useNavigate();
  const scheme = useComputedColorScheme('light');
  const shown = documentOf(page);
  const open = (id: string | null) =>
    void (id === null || id === documents[0].id
      ? navigate({ to: '/docs' })
      : navigate({ to: '/docs/$page', params: { page: id } }));
  return (
    <Page
      title={shown.title}
      wide
      actions={
        <Anchor href={shown.path} target="_blank" rel="noopener" fz="sm">
          Open by itself <Icon name="external" size={13} />
        </Anchor>
      }
    >
      <div>
        <Tabs value={shown.id} onChange={open} mb="sm">
          <Tabs.List aria-label="Documents">
            {documents.map(({ id, name }) => (
              <Tabs.Tab key={id} value={id}>
                {name}
              </Tabs.Tab>
            ))}
          </Tabs.List>
        </Tabs>
        <iframe
          key={shown.path}
          className={classes['document']}
          style={{ colorScheme: scheme }}
          src={shown.path}
          title={shown.title}
        />
      </div>
    </Page>
  );
}
