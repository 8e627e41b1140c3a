import { Accordion, Select, Stack, TextInput } from '@mantine/core';
import type { Account } from '@renderkit/contract/v1/schemas/account.ts';
import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import { ChoiceField } from './ChoiceField.tsx';
import { EditFields } from './EditFields.tsx';
import type { Choices } from './fit-values.ts';
import type { FormControl } from './form-control.ts';
import type { RangeField as RangeFieldName } from './form-fields.ts';
import { OptionField, SelectOption } from './OptionField.tsx';
import { ProjectField } from './ProjectField.tsx';
import { PromptField } from './PromptField.tsx';
import { RangeField } from './RangeField.tsx';
import { RatioField } from './RatioField.tsx';
import { SourceFields } from './SourceFields.tsx';
import { StylesField, SuggestionsField } from './WordFields.tsx';

type ModelFormProps = {
  kind: GenerationKind;
  form: FormControl;
  choices: Choices;
  capabilities: Account['capabilities'] | undefined;
  onRun: () => void;
};

/** The form that a kind and model ask for, from the model's parameters. */
export function ModelForm({ kind, form, choices, capabilities, onRun }: ModelFormProps) {
  const { fields, values, set, errorOf } = form;
  const { resolution } = fields;
  return (
    <Stack gap="lg">
      <SourceFields form={form} capabilities={capabilities} need="required" />
      {fields.image !== 'none' && <EditFields form={form} />}
      <PromptField form={form} onRun={onRun} />
      <SourceFields form={form} capabilities={capabilities} need="optional" />
      <RatioField form={form} />
      {fields.durations.length > 0 && (
        <ChoiceField
          label="Length"
          items={fields.durations}
          value={values.duration ?? fields.durations[0]?.value ?? ''}
          onChange={(value) => set('duration', value)}
          error={errorOf('duration')}
        />
      )}
      {resolution !== undefined && (
        <SelectOption
          option={resolution}
          value={values.resolution ?? String(resolution.default)}
          change={(value) => set('resolution', String(value))}
          error={errorOf('resolution')}
        />
      )}
      {fields.options.map((option) => (
        <OptionField key={option.key} option={option} form={form} />
      ))}
      <BaseModelField form={form} />
      <StylesField form={form} choices={choices} />
      <SuggestionsField form={form} choices={choices} kind={kind} />
      <FineSettings form={form} />
      <ProjectField form={form} />
    </Stack>
  );
}

function BaseModelField({ form }: { form: FormControl }) {
  const { baseModels } = form.fields;
  const [first] = baseModels;
  if (first === undefined) return null;
  return (
    <Select
      label={baseModels.length === 1 ? `Base model (${first.name})` : 'Base model'}
      data={
        baseModels.length === 1
          ? first.options
          : baseModels.map(({ name, options }) => ({ group: name, items: options }))
      }
      value={form.values.base_model ?? first.default}
      onChange={(value) => form.set('base_model', value ?? undefined)}
      allowDeselect={false}
      error={form.errorOf('base_model')}
    />
  );
}

const ranges: { field: RangeFieldName; label: string; description: string }[] = [
  { field: 'cfg', label: 'CFG', description: 'How closely the prompt is followed.' },
  { field: 'weight', label: 'Weight', description: "How strongly the model's own look counts." },
  { field: 'clip_skip', label: 'Clip skip', description: 'How loosely the prompt is read.' },
];

/** What seldom needs to be touched. It is open where something in it was. */
function FineSettings({ form }: { form: FormControl }) {
  const { fields, values, set, errorOf } = form;
  const own = ranges.filter(({ field }) => fields.ranges[field] !== undefined);
  if (own.length === 0 && fields.sampler === undefined) return null;
  const touched =
    own.some(({ field }) => values[field] !== undefined || errorOf(field) !== undefined) ||
    values.sampler !== undefined ||
    errorOf('sampler') !== undefined;
  return (
    <Accordion variant="contained" defaultValue={touched ? 'fine' : null}>
      <Accordion.Item value="fine">
        <Accordion.Control fz="sm">Fine settings</Accordion.Control>
        <Accordion.Panel>
          <Stack gap="md">
            {own.map(({ field, label, description }) => {
              const range = fields.ranges[field];
              return (
                range !== undefined && (
                  <RangeField
                    key={field}
                    {...{ label, description, range }}
                    value={values[field]}
                    onChange={(value) => set(field, value)}
                    error={errorOf(field)}
                  />
                )
              );
            })}
            {fields.sampler !== undefined && (
              <TextInput
                label="Sampler"
                description={`Left empty: ${fields.sampler}. The answer to an unknown name lists the others.`}
                placeholder={fields.sampler}
                maxLength={100}
                value={values.sampler ?? ''}
                onChange={({ currentTarget: { value } }) => set('sampler', value === '' ? undefined : value)}
                error={errorOf('sampler')}
              />
            )}
          </Stack>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}
