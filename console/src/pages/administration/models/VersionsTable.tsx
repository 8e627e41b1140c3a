import { Group, Text } from '@mantine/core';
import type { ManagedModelDetail } from '@renderkit/contract/studio/administration/models.ts';
import { formatDuration } from '../../../format/durations.ts';
import { ButtonLink } from '../../../ui/ButtonLink.tsx';
import { type Column, DataTable, NoWrap } from '../../../ui/DataTable.tsx';
import { Section } from '../../../ui/Section.tsx';
import { StatusBadge } from '../../../ui/StatusBadge.tsx';
import { Time } from '../../../ui/Time.tsx';
import { priceText } from './model-texts.ts';

type Version = ManagedModelDetail['versions'][number];
type VersionsTableProps = { model: ManagedModelDetail; shown: number };

/** All versions, newest first, as links. */
export function VersionsTable({ model, shown }: VersionsTableProps) {
  return (
    <Section title="Versions" card={false}>
      <DataTable
        label="Versions"
        rows={model.versions}
        rowKey={({ version }) => String(version)}
        columns={[
          {
            title: 'Version',
            cell: ({ version }) => (
              <Group gap="xs" wrap="nowrap">
                <Text fz="sm" fw={560}>
                  {version}
                </Text>
                {version === model.published_version && <StatusBadge status="offered" label="On offer" />}
                {version === model.draft_version && <StatusBadge status="draft" />}
              </Group>
            ),
          },
          ...columns,
          {
            title: 'Actions',
            controls: true,
            align: 'right',
            cell: ({ version }) =>
              version === shown ? (
                <NoWrap>
                  <Text fz="xs" c="dimmed" component="span">
                    Shown above
                  </Text>
                </NoWrap>
              ) : (
                <ButtonLink
                  to="/administration/models/$id"
                  params={{ id: model.id }}
                  search={{ version }}
                  variant="default"
                  aria-label={`Show version ${version}`}
                >
                  Show
                </ButtonLink>
              ),
          },
        ]}
      />
    </Section>
  );
}

const columns: Column<Version>[] = [
  {
    title: 'Made',
    cell: ({ created_at: at }) => (
      <NoWrap>
        <Time at={at} />
      </NoWrap>
    ),
  },
  {
    title: 'Last published',
    cell: ({ published_at: at }) => (
      <NoWrap>
        <Time at={at} none="Never" />
      </NoWrap>
    ),
  },
  { title: 'Price', cell: ({ price }) => priceText(price) },
  {
    title: 'Sample',
    align: 'right',
    cell: ({ sample_seconds: seconds }) => (seconds === null ? '—' : formatDuration(seconds * 1_000)),
  },
];
