import { Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { consoleQuery } from '../../api/queries.ts';
import { useAdministrator } from '../../session/administration.ts';
import { Section } from '../../ui/Section.tsx';
import { Time } from '../../ui/Time.tsx';

/** For administrators: the engines' errors of failed jobs, with the nodes and fields that users do not see. */
export function EngineErrors({ generation }: { generation: string }) {
  const isAdministrator = useAdministrator();
  const { data } = useQuery({
    ...consoleQuery('listRenderErrors', { params: { token: generation } }),
    enabled: isAdministrator,
  });
  if (data === undefined || data.faults.length === 0) return null;
  return (
    <Section title="What the engine said">
      {data.faults.map(({ at, backend, code, stage, reason }, index) => (
        <div key={`${at} ${index}`}>
          <Text fz="sm">{reason ?? 'It gave no reason.'}</Text>
          <Text fz="xs" c="dimmed">
            {backend}, <code>{code}</code>
            {stage !== null && <>, stage {stage}</>}, <Time at={at} relative />
          </Text>
        </div>
      ))}
    </Section>
  );
}
