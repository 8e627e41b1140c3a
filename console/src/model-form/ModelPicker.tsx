import { Badge, Group, Modal, Stack, Text, TextInput } from '@mantine/core';
import { isClosedByAge } from '@renderkit/contract/studio/age.ts';
import { outputsOf } from '@renderkit/contract/studio/kinds.ts';
import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import type { Model } from '@renderkit/contract/v1/schemas/model.ts';
import { useQueries } from '@tanstack/react-query';
import { useState } from 'react';
import { v1Query } from '../api/queries.ts';
import { formatDuration } from '../format/durations.ts';
import { formatCount } from '../format/numbers.ts';
import { kinds } from '../generations/kind-labels.ts';
import { Icon } from '../ui/Icon.tsx';
import { buildRequest, estimateOf, missingOf } from './build-request.ts';
import { emptyForm } from './form-values.ts';
import { abilitiesOf, isSandbox, matchesSearch } from './model-labels.ts';
import classes from './model-picker.module.css';
import { useModelFacts } from './use-model-facts.ts';

/**
 * Facts about a model from its newest runs: the median of their seconds, and a picture for a model without a thumbnail.
 */
export type ModelHistory = { seconds: number | undefined; picture: string | undefined };

type ModelPickerProps = {
  kind: GenerationKind;
  models: readonly Model[];
  chosen: Model;
  onChoose: (model: Model) => void;
  /** `false` when the account may not use models for adults. */
  ageVerified: boolean;
  /** Facts from the person's own runs, by model id. */
  history: ReadonlyMap<string, ModelHistory>;
};

/** Shows the model of the form, and a dialog to choose another. */
export function ModelPicker({ onChoose, ...props }: ModelPickerProps) {
  const { kind, chosen, history } = props;
  const [opened, setOpened] = useState(false);
  // The platform chooses the model of an extension. A request cannot choose one.
  if (kind === 'video_extend')
    return (
      <div className={classes['card']} data-field="model">
        <ModelCard model={chosen} kind={kind} picture={history.get(chosen.id)?.picture} />
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
        <ModelCard model={chosen} kind={kind} picture={history.get(chosen.id)?.picture} />
        <span className={classes['change']}>
          Change
          <Icon name="down" size={13} />
        </span>
      </button>
      <Modal
        opened={opened}
        onClose={() => setOpened(false)}
        title="Choose a model"
        size="min(96vw, 60rem)"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <ModelList
          {...props}
          onChoose={(model) => {
            onChoose(model);
            setOpened(false);
          }}
        />
      </Modal>
    </>
  );
}

function ModelList({ models, ...props }: ModelPickerProps) {
  const [search, setSearch] = useState('');
  const found = models.filter((model) => matchesSearch(model, search));
  const sandbox = found.filter(isSandbox);
  const prices = usePrices(props.kind, models);
  const seconds = new Map(useModelFacts()?.map((one) => [one.id, one.usual_seconds]));
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
      <ModelCards {...props} {...{ prices, seconds }} models={found.filter((model) => !isSandbox(model))} />
      {sandbox.length > 0 && (
        <>
          <Text fz="xs" c="dimmed" fw={600}>
            For trying a client: these draw nothing of use
          </Text>
          <ModelCards {...props} {...{ prices, seconds }} models={sandbox} />
        </>
      )}
      <Text fz="xs" c="dimmed">
        These are the models that your plan includes. Prices are without extras. Times are those of your own
        runs, and what is usual where you have none.
      </Text>
    </Stack>
  );
}

type ModelCardsProps = ModelPickerProps & {
  prices: ReadonlyMap<string, number>;
  /** Usual seconds of a run, for people who have not used the model. */
  seconds: ReadonlyMap<string, number | null>;
};

function ModelCards({ models, ...props }: ModelCardsProps) {
  const { kind, chosen, onChoose, ageVerified, history, prices } = props;
  return (
    <ul className={classes['list']}>
      {models.map((model) => {
        const locked = isClosedByAge(model, ageVerified);
        const price = prices.get(model.id);
        const { seconds: own, picture } = history.get(model.id) ?? {};
        const seconds = own ?? props.seconds.get(model.id) ?? undefined;
        return (
          <li key={model.id}>
            <button
              type="button"
              className={classes['card']}
              aria-pressed={model.id === chosen.id}
              disabled={locked}
              onClick={() => onChoose(model)}
            >
              <ModelCard
                {...{ model, kind, locked, picture }}
                whole
                facts={[
                  ...(price === undefined ? [] : [formatCount(price, 'credit')]),
                  ...(seconds === undefined ? [] : [`about ${formatDuration(seconds * 1_000)}`]),
                ]}
              />
            </button>
          </li>
        );
      })}
    </ul>
  );
}

/** Prices rarely change. */
const priceStaleMs = 5 * 60_000;

/**
 * Returns the price of a run of each model with default settings, by model id. Models that need a source have no price
 * yet.
 */
function usePrices(kind: GenerationKind, models: readonly Model[]): ReadonlyMap<string, number> {
  const form = { ...emptyForm, prompt: 'a picture' };
  const priced = models.filter((model) => missingOf(kind, model, form).length === 0);
  const nothing = { styles: undefined, suggestions: undefined };
  const answers = useQueries({
    queries: priced.map((model) => ({
      ...v1Query('estimate', {
        body: estimateOf(kind, model, buildRequest(kind, model, form, nothing)) as never,
      }),
      staleTime: priceStaleMs,
      retry: false,
    })),
  });
  return new Map(
    priced.flatMap(({ id }, i) => {
      const credits = answers[i]?.data?.credits;
      return credits === undefined ? [] : [[id, credits]];
    }),
  );
}

type ModelCardProps = {
  model: Model;
  kind: GenerationKind;
  locked?: boolean;
  whole?: boolean;
  /** Price and duration, if they are known. */
  facts?: readonly string[];
  /** Shown when the model has no thumbnail. */
  picture?: string | undefined;
};

function ModelCard({ model, kind, locked = false, whole = false, facts = [], picture }: ModelCardProps) {
  const thumbnail = model.thumbnail ?? picture;
  const outputs = outputsOf(model, kind);
  return (
    <>
      <span className={classes['thumb']} data-whole={whole} aria-hidden="true">
        {thumbnail === undefined ? (
          model.name.charAt(0)
        ) : (
          <img src={thumbnail} alt="" loading="lazy" decoding="async" crossOrigin="anonymous" />
        )}
      </span>
      <span className={classes['text']}>
        <span className={classes['name']}>
          {model.name}
          {whole && <span className={classes['id']}>{model.id}</span>}
        </span>
        {facts.length > 0 && <span className={classes['facts']}>{facts.join(' · ')}</span>}
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
