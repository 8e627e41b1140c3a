import type { Model } from 'renderkit';
import { modelSchema, modelTypes } from 'renderkit/model-schema';
import { command } from '../command.ts';
import { UsageError } from '../cli-error.ts';
import { table } from '../table.ts';

const suites = ['image', 'edit', 'video', 'extend'] as const;

export const listModels = command({
  usage: '',
  about: 'Lists the models of your plan.',
  options: {
    suite: { form: 'SUITE', about: 'only what can do this', choices: suites },
    search: { form: 'TEXT', about: 'only these names' },
  },
  run: async ({ client, output }, _words, values) => {
    const suite = values.suite as (typeof suites)[number] | undefined;
    const models = (await client.models.list({ suite, search: values.search })).data;
    output.result(
      models,
      models.map(({ id }) => id),
      () =>
        table(
          models.map(({ id, name, suites: can, default_for: byDefault }) => [
            id,
            name,
            can.map((one) => (byDefault.includes(one) ? `${one}*` : one)).join(' '),
          ]),
        ),
    );
  },
});

export const showModel = command({
  usage: 'ID',
  about: 'Shows what a model takes: ratios, durations, options and their values.',
  options: {},
  run: async ({ client, output }, [id]) => {
    if (id === undefined) throw new UsageError('Name the model.', '`renderkit models list` lists them.');
    const model = await client.models.retrieve(id);
    output.result(model, [model.id], () => describe(model));
  },
});

function describe({
  id,
  name,
  description,
  suites: can,
  prompt_required: needsPrompt,
  parameters,
}: Model): string[] {
  const { aspect_ratios: ratios, durations, options, max_reference_images: references, cfg } = parameters;
  const rows: string[][] = [
    ['can', can.join(' ')],
    ['prompt', needsPrompt ? 'needed' : 'may be left out'],
    ...(ratios.length > 0 ? [['--ratio', ratios.map(({ ratio }) => ratio).join(' ')]] : []),
    ...(durations.length > 0 ? [['--duration', durations.map(({ value }) => value).join(' ')]] : []),
    ...(references > 0 ? [['--ref', `up to ${references}`]] : []),
    ...(cfg === null ? [] : [['--cfg', `${cfg.min} to ${cfg.max}, ${cfg.default}`]]),
    ...options.map((option) => [`-O ${option.key}=`, valuesOf(option)]),
  ];
  return [`${id}: ${name}`, ...(description === null ? [] : [description]), '', ...table(rows)];
}

function valuesOf({
  type,
  values,
  min,
  max,
  max_length: length,
  default: byDefault,
}: Model['parameters']['options'][number]): string {
  switch (type) {
    case 'select':
      return `${(values ?? []).map(({ value }) => value).join(' ')}; ${byDefault}`;
    case 'toggle':
      return `true false; ${byDefault === 1}`;
    case 'slider':
      return `${min} to ${max}; ${byDefault}`;
    default:
      return `a text of up to ${length} characters`;
  }
}

export const schema = command({
  usage: 'ID',
  about: 'Writes the JSON Schema of the fields of a create that depend on the model.',
  options: {},
  run: async ({ client, output }, [id]) => {
    if (id === undefined) throw new UsageError('Name the model.', '`renderkit models list` lists them.');
    const found = modelSchema(await client.models.retrieve(id));
    output.result(found, [id], () => [JSON.stringify(found, undefined, 2)]);
  },
});

export const types = command({
  usage: '> renderkit-models.d.ts',
  about:
    'Writes a declaration by which an editor completes `model`, and TypeScript checks `options`, in calls of the package renderkit.',
  options: {},
  run: async ({ client }) => {
    process.stdout.write(modelTypes((await client.models.list()).data));
  },
});

export const styles = command({
  usage: '',
  about: 'Lists styles; --style takes their ids.',
  options: {},
  run: async ({ client, output }) => {
    const found = (await client.styles.list()).data;
    output.result(
      found,
      found.map(({ id }) => id),
      () => table(found.map(({ id, name }) => [id, name])),
    );
  },
});

export const suggestions = command({
  usage: '',
  about: 'Lists building blocks of prompts; --suggestion takes their ids.',
  options: {},
  run: async ({ client, output }) => {
    const found = (await client.suggestions.list()).data;
    output.result(
      found,
      found.map(({ id }) => id),
      () => table(found.map(({ id, category, name }) => [id, category ?? '', name])),
    );
  },
});
