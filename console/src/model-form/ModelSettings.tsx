import { Accordion, Select, Stack, TextInput } from '@mantine/core';
import { kindFacts, settingFacts } from '@renderkit/contract/studio/kinds.ts';
import type { Account } from '@renderkit/contract/v1/schemas/account.ts';
import type { GenerationKind } from '@renderkit/contract/v1/schemas/generation.ts';
import { type ReactNode, useState } from 'react';
import { ChoiceField } from './ChoiceField.tsx';
import { EditFields } from './EditFields.tsx';
import { OptionField, SelectOption } from './OptionField.tsx';
import { ProjectField } from './ProjectField.tsx';
import { RangeField } from './RangeField.tsx';
import { RatioField } from './RatioField.tsx';
import { SourceFields } from './SourceFields.tsx';
import { StylesField, SuggestionsField } from './StyleFields.tsx';
import type { Choices } from './fit-values.ts';
import type { FormControl } from './use-form.ts';

type ModelSettingsProps = {
  kind: GenerationKind;
  form: FormControl;
  choices: Choices;
  capabilities: Account['capabilities'] | undefined;
  /** The seed of the result that is shown. */
  lastSeed: number | undefined;
};

/**
 * The optional fields of the form for a kind and model, as the model's parameters offer them. `form-fields.ts` decides
 * which fields there are.
 */
export function ModelSettings({ kind, form, choices, capabilities, lastSeed }: ModelSettingsProps) {
  const { fields, values, set, errorOf } = form;
  const { resolution } = fields;
  return (
    <Stack gap="lg">
      {fields.image !== 'none' && <EditFields form={form} />}
      <SourceFields form={form} capabilities={capabilities} need="optional" />
      <FieldAnchor of="aspect_ratio">
        <RatioField form={form} />
      </FieldAnchor>
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
        <FieldAnchor key={option.key} of={`options.${option.key}`}>
          <OptionField option={option} form={form} lastSeed={lastSeed} />
        </FieldAnchor>
      ))}
      <BaseModelField form={form} />
      <FieldAnchor of="styles">
        <StylesField form={form} choices={choices} />
      </FieldAnchor>
      <FieldAnchor of="suggestions">
        <SuggestionsField form={form} choices={choices} kind={kind} />
      </FieldAnchor>
      <FineSettings form={form} />
      <ProjectField form={form} />
    </Stack>
  );
}

/** Marks a field, so that the form can scroll to its error. */
function FieldAnchor({ of, children }: { of: string; children: ReactNode }) {
  return <div data-field={of}>{children}</div>;
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

/** Settings that few people change. The section is open at first if one of them is set. */
function FineSettings({ form }: { form: FormControl }) {
  const { fields, values, set, errorOf } = form;
  // The blur of a mask's edge is shown next to the mask.
  const own = kindFacts.image.settings.filter((field) => fields.ranges[field] !== undefined);
  const names = [...own, 'sampler' as const];
  const [opened, setOpened] = useState(names.some((name) => values[name] !== undefined));
  const wrong = names.some((name) => errorOf(name) !== undefined);
  if (own.length === 0 && fields.sampler === undefined) return null;
  return (
    <Accordion
      variant="contained"
      value={opened || wrong ? 'fine' : null}
      onChange={(value) => setOpened(value !== null)}
    >
      <Accordion.Item value="fine">
        <Accordion.Control fz="sm">Fine settings</Accordion.Control>
        <Accordion.Panel>
          <Stack gap="md">
            {own.map((field) => {
              const range = fields.ranges[field];
              return (
                range !== undefined && (
                  <FieldAnchor key={field} of={field}>
                    <RangeField
                      {...{ ...settingFacts[field], range }}
                      value={values[field]}
                      onChange={(value) => set(field, value)}
                      error={errorOf(field)}
                    />
                  </FieldAnchor>
                )
              );
            })}
            {fields.sampler !== undefined && (
              <FieldAnchor of="sampler">
                <TextInput
                  label="Sampler"
                  description={`Left empty: ${fields.sampler}. The answer to an unknown name lists the others.`}
                  placeholder={fields.sampler}
                  maxLength={100}
                  value={values.sampler ?? ''}
                  onChange={({ currentTarget: { value } }) =>
                    set('sampler', value === '' ? undefined : value)
                  }
                  error={errorOf('sampler')}
                />
              </FieldAnchor>
            )}
          </Stack>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}
