import {
  Button,
  Checkbox,
  Group,
  Modal,
  NumberInput,
  PasswordInput,
  Select,
  Stack,
  TagsInput,
  Textarea,
  TextInput,
} from '@mantine/core';
import { useForm, type UseFormReturnType } from '@mantine/form';
import type { Administration } from '@renderkit/contract/console/administration.ts';
import type { BackendDetail, ManagedBackend } from '@renderkit/contract/studio/administration/backends.ts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { callConsole } from '../../../api/client.ts';
import { fieldError } from '../../../api/errors.ts';
import { administrationQuery } from '../../../session/administration.ts';
import { ActProblem } from '../ActProblem.tsx';
import {
  type BackendForm,
  brokenHeaderLine,
  changesOf,
  emptyBackend,
  formOf,
  toRequest,
} from './backend-form.ts';
import { engineLabel, exampleAddress } from './engine-labels.ts';

type BackendModalProps = {
  opened: boolean;
  /** The backend to change. `undefined`: a new backend. */
  backend?: ManagedBackend;
  onClose: () => void;
  onSaved: (saved: BackendDetail) => void;
};

/** The form of a backend. */
export function BackendModal({ opened, backend, onClose, onSaved }: BackendModalProps) {
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      size="lg"
      title={backend === undefined ? 'Add a backend' : `Change ${backend.name}`}
      // A click outside the dialog would lose the typed text.
      closeOnClickOutside={false}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <BackendFields {...(backend && { backend })} onClose={onClose} onSaved={onSaved} />
    </Modal>
  );
}

function BackendFields({ backend, onClose, onSaved }: Omit<BackendModalProps, 'opened'>) {
  const { data: administration } = useQuery(administrationQuery);
  const isNew = backend === undefined;
  const form = useForm<BackendForm>({
    mode: 'controlled',
    initialValues: isNew ? emptyBackend : formOf(backend),
    validate: {
      name: (name) => (name.trim() === '' ? 'Give it a name, such as gpu1.' : null),
      headers: (headers) => {
        const line = brokenHeaderLine(headers);
        return line === undefined ? null : `Line ${line} is no header: write Name: value.`;
      },
    },
  });
  const save = useSave(backend, form.values, onSaved);
  const engine = administration?.engines.find(({ name }) => name === form.values.engine);
  const isLocal = engine?.is_local === true;
  const properties = fieldsOf(form, save.error);
  return (
    <form onSubmit={form.onSubmit(() => save.mutate())} noValidate>
      <Stack gap="md">
        {isNew && <NewBackendFields engines={administration?.engines ?? []} properties={properties} />}
        {!isLocal && (
          <TextInput
            label="Address"
            description="Where its API is, for the workers."
            placeholder={engine?.default_url ?? exampleAddress(form.values.engine) ?? ''}
            withAsterisk={engine?.default_url === null}
            {...properties('url')}
          />
        )}
        <WorkFields isLocal={isLocal} properties={properties} />
        {!isLocal && <SecretFields {...(backend && { backend })} properties={properties} />}
        {!isLocal && <CostFields properties={properties} form={form} />}
        <ActProblem
          error={save.error}
          title={isNew ? 'The backend was not added' : 'The backend was not changed'}
          onRetry={() => save.mutate()}
        />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={save.isPending}>
            {isNew ? 'Add and ask it' : 'Save changes'}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

function useSave(
  backend: ManagedBackend | undefined,
  form: BackendForm,
  onSaved: (saved: BackendDetail) => void,
) {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () =>
      backend === undefined
        ? callConsole('addBackend', { body: toRequest(form) })
        : callConsole('changeBackend', { params: { name: backend.name }, body: changesOf(backend, form) }),
    meta: { inline: true },
    onSuccess: async (saved) => {
      await queryClient.invalidateQueries({ queryKey: ['console'] });
      onSaved(saved);
    },
  });
}

type Form = UseFormReturnType<BackendForm>;
/** Field names of the request, by field of the form. */
const requestFields: Partial<Record<keyof BackendForm, string>> = {
  maxCostPerDay: 'max_cost_per_day',
  allowLoss: 'allow_loss',
};

/** Returns the properties of an input: its value, and its error from the form or from the studio. */
function fieldsOf(form: Form, refusal: Error | null) {
  return (field: keyof BackendForm) => {
    const properties = form.getInputProps(field);
    return { ...properties, error: properties.error ?? fieldError(refusal, requestFields[field] ?? field) };
  };
}
type Properties = ReturnType<typeof fieldsOf>;

type NewBackendFieldsProps = { engines: Administration['engines']; properties: Properties };

function NewBackendFields({ engines, properties }: NewBackendFieldsProps) {
  return (
    <Group grow align="flex-start" preventGrowOverflow={false}>
      <TextInput
        label="Name"
        placeholder="gpu1"
        maxLength={63}
        data-autofocus
        withAsterisk
        miw="10rem"
        {...properties('name')}
      />
      <Select
        label="Engine"
        allowDeselect={false}
        miw="14rem"
        data={engines
          .filter(({ name }) => name !== 'procedural' && name !== 'sandbox')
          .map(({ name }) => ({ value: name, label: engineLabel(name) }))}
        {...properties('engine')}
      />
    </Group>
  );
}

function WorkFields({ isLocal, properties }: { isLocal: boolean; properties: Properties }) {
  return (
    <Group grow align="flex-start" preventGrowOverflow={false}>
      <NumberInput
        label="Slots"
        description={isLocal ? 'Jobs at once, of each worker.' : 'Jobs at once. One for a card.'}
        placeholder={isLocal ? 'As many as a worker makes' : '1'}
        min={1}
        max={1_000}
        allowDecimal={false}
        miw="10rem"
        {...properties('slots')}
      />
      <TagsInput
        label="Labels"
        description="Models can name a label in place of a backend."
        placeholder="gpu"
        miw="14rem"
        {...properties('labels')}
      />
    </Group>
  );
}

function SecretFields({ backend, properties }: { backend?: ManagedBackend; properties: Properties }) {
  return (
    <>
      <PasswordInput
        label="Secret"
        description={
          backend?.has_secret === true
            ? 'It has one. Empty: it stays. It is kept encrypted and never shown again.'
            : 'A provider’s API key. It is kept encrypted and never shown again.'
        }
        autoComplete="off"
        visibilityToggleButtonProps={{ 'aria-label': 'Show the secret', 'aria-hidden': false, tabIndex: 0 }}
        {...properties('secret')}
      />
      <Textarea
        label="Headers"
        description={
          backend?.has_headers === true
            ? 'It has some. These are added; one without a value goes.'
            : 'Sent with each request, one a line. Kept as the secret is.'
        }
        placeholder="Authorization: Bearer …"
        autosize
        minRows={1}
        maxRows={6}
        {...properties('headers')}
      />
    </>
  );
}

function CostFields({ properties, form }: { properties: Properties; form: Form }) {
  return (
    <>
      <Group grow align="flex-start" preventGrowOverflow={false}>
        <NumberInput
          label="Most to spend a day"
          description="Empty: no limit. A day is that of UTC."
          min={0}
          decimalScale={4}
          miw="10rem"
          {...properties('maxCostPerDay')}
        />
        <TextInput
          label="Currency"
          description="Of its provider."
          placeholder="USD"
          maxLength={3}
          miw="8rem"
          {...properties('currency')}
          onChange={(event) => form.setFieldValue('currency', event.currentTarget.value.toUpperCase())}
        />
      </Group>
      <Checkbox
        label="Take renders that earn less than they cost"
        {...form.getInputProps('allowLoss', { type: 'checkbox' })}
      />
    </>
  );
}
