import { ActionIcon, Button, Group, Select, Text, TextInput, Tooltip } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import type { Style } from '@renderkit/contract/studio/administration/lists.ts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { callConsole } from '../../../api/client.ts';
import { consoleQuery } from '../../../api/queries.ts';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { Icon } from '../../../ui/Icon.tsx';
import { ListSkeleton } from '../../../ui/ListSkeleton.tsx';
import { Page } from '../../../ui/Page.tsx';
import { ProblemAlert } from '../../../ui/ProblemAlert.tsx';
import { showToast } from '../../../ui/toasts.ts';
import { EditActions } from './EditActions.tsx';
import { OlderVersion } from './OlderVersion.tsx';
import { ReviewModal } from './ReviewModal.tsx';
import { useEditedList } from './use-edited-list.ts';

/** The styles that everybody can choose. They are edited in place and published together. */
export function StylesPage() {
  const published = useQuery(consoleQuery('getStyles', {}));
  const styles = useEditedList<Style>(
    published.data && { version: published.data.version, items: published.data.styles },
  );
  const [reviewing, review] = useDisclosure(false);
  const body = { styles: [...styles.items] };
  const preview = useQuery({ ...consoleQuery('previewStyles', { body }), enabled: reviewing, gcTime: 0 });
  const publish = usePublishStyles({ version: styles.version, ...body }, () => {
    styles.discard();
    review.close();
  });
  return (
    <Page
      title="Styles"
      description="What users can choose beside a prompt. A style adds its words to what the engine is given; users never see them."
      actions={
        <EditActions list={styles} onReview={review.open}>
          <OlderVersion
            published={published.data}
            edited={styles.isEdited}
            load={(version) => readOlder(version).then(styles.begin)}
          />
        </EditActions>
      }
    >
      {published.error !== null && (
        <ProblemAlert error={published.error} title="The styles could not be read" />
      )}
      {published.isPending && <ListSkeleton />}
      {published.data !== undefined && (
        <>
          <DataTable
            label="Styles"
            rows={styles.items.map((style, at) => ({ style, at }))}
            rowKey={({ at }) => String(at)}
            columns={columnsOf(styles)}
          />
          <Group>
            <Button
              variant="default"
              leftSection={<Icon name="plus" size={14} />}
              onClick={() => styles.add({ id: '', name: '', type: 'image', words: '' })}
            >
              Add a style
            </Button>
            <Text fz="xs" c="dimmed">
              Programs name a style by its id: one that goes makes their requests fail.
            </Text>
          </Group>
        </>
      )}
      <ReviewModal
        what="styles"
        opened={reviewing}
        onClose={review.close}
        preview={preview}
        publish={publish}
      />
    </Page>
  );
}

async function readOlder(version: number): Promise<Style[]> {
  return (await callConsole('getStylesVersion', { params: { version: String(version) } })).styles;
}

function usePublishStyles(body: { version: number; styles: Style[] }, onPublished: () => void) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => callConsole('publishStyles', { body }),
    meta: { inline: true },
    onSuccess: async () => {
      await queryClient.invalidateQueries();
      showToast('The styles are in force.');
      onPublished();
    },
  });
}

type StyleRow = { style: Style; at: number };
const types = [
  { value: 'image', label: 'Images' },
  { value: 'video', label: 'Videos' },
];

function columnsOf(styles: ReturnType<typeof useEditedList<Style>>): Column<StyleRow>[] {
  const input = (title: string, field: 'name' | 'id' | 'words', width: string): Column<StyleRow> => ({
    title,
    minWidth: width,
    ownLine: true,
    cell: ({ style, at }) => (
      <TextInput
        aria-label={`${title} of ${style.name === '' ? 'the new style' : style.name}`}
        size="xs"
        value={style[field]}
        onChange={(event) => styles.change(at, { [field]: event.currentTarget.value })}
      />
    ),
  });
  return [
    input('Name', 'name', '9rem'),
    input('Words', 'words', '14rem'),
    {
      title: 'For',
      cell: ({ style, at }) => (
        <Select
          aria-label={`What ${style.name === '' ? 'the new style' : style.name} is for`}
          size="xs"
          w="6.5rem"
          allowDeselect={false}
          data={types}
          value={style.type}
          onChange={(type) => styles.change(at, { type: type === 'video' ? 'video' : 'image' })}
        />
      ),
    },
    input('Id', 'id', '9rem'),
    {
      title: 'Actions',
      controls: true,
      align: 'right',
      cell: ({ style, at }) => (
        <Tooltip label="Remove">
          <ActionIcon
            aria-label={`Remove ${style.name === '' ? 'the new style' : style.name}`}
            onClick={() => styles.remove(at)}
          >
            <Icon name="trash" size={14} />
          </ActionIcon>
        </Tooltip>
      ),
    },
  ];
}
