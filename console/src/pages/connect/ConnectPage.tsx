import { Button, Group, NumberInput, Select, Stack, Text } from '@mantine/core';
import { maxDailyBudgetCredits } from '@renderkit/contract/console/limits.ts';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { type Program, programs } from 'renderkit/programs';
import { useState } from 'react';
import { callConsole } from '../../api/client.ts';
import { tryDoor } from '../../api/try-door.ts';
import { useSignedIn } from '../../session/use-signed-in.ts';
import { CodeBlock } from '../../ui/CodeBlock.tsx';
import { Notice } from '../../ui/Notice.tsx';
import { Page } from '../../ui/Page.tsx';
import { ProblemAlert } from '../../ui/ProblemAlert.tsx';
import { Section } from '../../ui/Section.tsx';

/** Placeholder in the settings until there is a key. */
const placeholder = 'rk_live_…';
const initialBudget = 100;

const choices = Object.entries(Object.groupBy(programs, ({ group }) => group)).map(([group, items]) => ({
  group,
  items: items.map(({ id, name }) => ({ value: id, label: name })),
}));

/** Connects an existing program to this service: one key, all settings, and a trial. */
export function ConnectPage() {
  const { base_url: base } = useSignedIn();
  const [chosen, setChosen] = useState<Program>(programs[0] as Program);
  const [key, setKey] = useState<string>();
  const host = base.replace(/\/v1$/, '');
  const choose = (id: string | null) => {
    const program = programs.find((one) => one.id === id);
    if (program === undefined) return;
    setChosen(program);
    // A key for another program may have other scopes.
    setKey(undefined);
  };
  return (
    <Page
      title="Connect a program"
      description="Programs that draw through other services come in by an address and a key. What they make spends your credits and lies in your library."
    >
      <Section title="Program">
        <Stack gap="md">
          <Select
            label="Which program?"
            data={choices}
            value={chosen.id}
            onChange={choose}
            allowDeselect={false}
            searchable
            maw="26rem"
          />
          <KeyForm key={chosen.id} program={chosen} made={key !== undefined} onMade={setKey} />
        </Stack>
      </Section>
      <Section title="Settings" card={false}>
        <Text fz="sm" mb={8}>
          {chosen.where}
        </Text>
        {chosen.door === 'a1111' && new URL(host).pathname !== '/' && (
          <Notice>
            These programs ask at the root of the host: its proxy has to lead <code>/sdapi</code> to{' '}
            <code>{`${host}/sdapi`}</code>.
          </Notice>
        )}
        <CodeBlock
          key={chosen.id}
          label={`Settings of ${chosen.name}`}
          samples={chosen.samples({ baseUrl: host, apiKey: key ?? placeholder })}
          wrap
        />
      </Section>
      {key !== undefined && <TrialSection program={chosen} apiKey={key} />}
    </Page>
  );
}

type KeyFormProps = { program: Program; made: boolean; onMade: (key: string) => void };

function KeyForm({ program, made, onMade }: KeyFormProps) {
  const queryClient = useQueryClient();
  const [budget, setBudget] = useState<number | string>(initialBudget);
  const create = useMutation({
    mutationFn: () =>
      callConsole('createKey', {
        body: {
          name: program.name,
          scopes: [...program.scopes],
          daily_budget: typeof budget === 'number' ? budget : null,
        },
      }),
    meta: { inline: true },
    onSuccess: ({ key }) => {
      onMade(key);
      return queryClient.invalidateQueries({ queryKey: ['console', 'listKeys'] });
    },
  });
  if (made)
    return (
      <Notice>
        The key stands in the settings below. Copy them now: only a hash of it is kept, and nobody can show it
        again.
      </Notice>
    );
  return (
    <>
      <Group align="flex-end" gap="md">
        <NumberInput
          label="Daily budget in credits"
          description="Empty: no budget."
          min={0}
          max={maxDailyBudgetCredits}
          decimalScale={3}
          thousandSeparator=","
          value={budget}
          onChange={setBudget}
          w="14rem"
        />
        <Button onClick={() => create.mutate()} loading={create.isPending}>
          Make a key for it
        </Button>
      </Group>
      <Text fz="xs" c="dimmed">
        The key may: {program.scopes.join(', ')}. It can be changed and revoked under API keys.
      </Text>
      {create.error !== null && <ProblemAlert error={create.error} title="The key was not created" />}
    </>
  );
}

function TrialSection({ program, apiKey }: { program: Program; apiKey: string }) {
  const trial = useMutation({ mutationFn: () => tryDoor(program.door, apiKey), meta: { inline: true } });
  return (
    <Section title="Test it">
      <Group gap="md">
        <Button variant="default" onClick={() => trial.mutate()} loading={trial.isPending}>
          Ask as {program.name} would
        </Button>
        <Text fz="sm" role="status" c={trial.data?.works === false ? 'var(--rk-bad)' : undefined}>
          {trial.data?.says ?? 'It costs nothing, and uses the key above.'}
        </Text>
      </Group>
    </Section>
  );
}
