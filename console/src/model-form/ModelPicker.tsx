import { Badge, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { outputsOf } from '@renderkit/contract/studio/kinds.ts';
import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Model } from '@renderkit/contract/v1/schemas/model.ts';
import { useState } from 'react';
import { formatCount } from '../format/numbers.ts';
import { kinds } from '../generations/kinds.ts';
import { Icon } from '../ui/Icon.tsx';
import { abilitiesOf, matchesSearch } from './model-labels.ts';
import classes from './model-picker.module.css';

type ModelPickerProps = {
  kind: GenerationKind;
  models: readonly Model[];
  chosen: Model;
  onChoose: (model: Model) => void;
  /** False where models for adults are closed to the account. */
  ageVerified: boolean;
};

/** The model of the form, and a dialog to choose another. */
export function ModelPicker({ kind, models, chosen, onChoose, ageVerified }: ModelPickerProps) {
  const [opened, setOpened] = useState(false);
  // An extension is made by the platform's model; a request can name no other.
  if (kind === 'video_extend')
    return (
      <div className={classes['card']} data-field="model">
        <ModelCard model={chosen} kind={kind} />
      </div>
    );
  return (
    <>
      <button
        type="button"
        className={classes['card']}
        aria-haspopup="dialog"
        data-field="model"
        onClick={() => setOpened(true)}
      >
        <ModelCard model={chosen} kind={kind} />
        <span className={classes['change']}>
          Change
          <Icon name="down" size={13} />
        </span>
      </button>
      <Modal
        opened={opened}
        onClose={() => setOpened(false)}
        title="Choose a model"
        size="lg"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <ModelList
          {...{ kind, models, chosen, ageVerified }}
          onChoose={(model) => {
            onChoose(model);
            setOpened(false);
          }}
        />
      </Modal>
    </>
  );
}

function ModelList({ kind, models, chosen, onChoose, ageVerified }: ModelPickerProps) {
  const [search, setSearch] = useState('');
  const found = models.filter((model) => matchesSearch(model, search));
  return (
    <Stack gap="sm">
      <TextInput
        aria-label="Search models"
        placeholder="Search by name or description"
        leftSection={<Icon name="search" size={14} />}
        value={search}
        onChange={({ currentTarget }) => setSearch(currentTarget.value)}
        data-autofocus
      />
      {found.length === 0 && (
        <Text fz="sm" c="dimmed" ta="center" py="md">
          No model says that of itself.
        </Text>
      )}
      <ul className={classes['list']}>
        {found.map((model) => {
          const locked = model.nsfw && !ageVerified;
          return (
            <li key={model.id}>
              <button
                type="button"
                className={classes['card']}
                aria-pressed={model.id === chosen.id}
                disabled={locked}
                onClick={() => onChoose(model)}
              >
                <ModelCard model={model} kind={kind} locked={locked} whole />
              </button>
            </li>
          );
        })}
      </ul>
      <Text fz="xs" c="dimmed">
        These are the models that your plan includes.
      </Text>
    </Stack>
  );
}

type ModelCardProps = { model: Model; kind: GenerationKind; locked?: boolean; whole?: boolean };

function ModelCard({ model, kind, locked = false, whole = false }: ModelCardProps) {
  const outputs = outputsOf(model, kind);
  return (
    <>
      <span className={classes['thumb']} aria-hidden="true">
        {model.thumbnail === null ? (
          model.name.charAt(0)
        ) : (
          <img src={model.thumbnail} alt="" loading="lazy" decoding="async" />
        )}
      </span>
      <span className={classes['text']}>
        <span className={classes['name']}>
          {model.name}
          {whole && <span className={classes['id']}>{model.id}</span>}
        </span>
        <span className={classes['description']} data-whole={whole}>
          {model.description}
        </span>
        {whole && (
          <Group component="span" gap={4} mt={4}>
            {model.default_for.includes(kinds[kind].suite) && <Ability>Default</Ability>}
            {outputs > 1 && <Ability>{formatCount(outputs, 'output')} a run</Ability>}
            {abilitiesOf(model, kind).map((ability) => (
              <Ability key={ability}>{ability}</Ability>
            ))}
          </Group>
        )}
        {locked && (
          <span className={classes['locked']}>
            For adults: the age of your account has not been verified.
          </span>
        )}
      </span>
    </>
  );
}

function Ability({ children }: { children: React.ReactNode }) {
  return (
    <Badge component="span" variant="default" size="xs" tt="none" fw={500}>
      {children}
    </Badge>
  );
}
