import type {
  AddBackendRequest,
  ChangeBackendRequest,
  ManagedBackend,
} from '@renderkit/contract/studio/administration/backends.ts';

/**
 * The values of a backend's form. Empty fields are left out of a new backend, and stay unchanged in an existing one.
 * `studio/src/backends/manage-backends.ts` checks the values.
 */
export type BackendForm = {
  name: string;
  engine: string;
  url: string;
  slots: number | '';
  labels: string[];
  secret: string;
  /** One header per line: `Name: value`. */
  headers: string;
  maxCostPerDay: number | '';
  currency: string;
  allowLoss: boolean;
};

export const emptyBackend: BackendForm = {
  name: '',
  engine: 'comfyui',
  url: '',
  slots: '',
  labels: [],
  secret: '',
  headers: '',
  maxCostPerDay: '',
  currency: '',
  allowLoss: false,
};

export function formOf(backend: ManagedBackend): BackendForm {
  return {
    ...emptyBackend,
    name: backend.name,
    engine: backend.engine,
    url: backend.url ?? '',
    slots: backend.slots ?? '',
    labels: backend.labels,
    maxCostPerDay: backend.max_cost_per_day ?? '',
    currency: backend.currency ?? '',
    allowLoss: backend.allow_loss,
  };
}

export function toRequest(form: BackendForm): AddBackendRequest {
  const { name, engine, url, slots, labels, maxCostPerDay, currency, allowLoss } = form;
  return {
    name: name.trim(),
    engine,
    ...(url.trim() !== '' && { url: url.trim() }),
    ...(slots !== '' && { slots }),
    ...(labels.length > 0 && { labels }),
    ...secretsOf(form),
    ...(maxCostPerDay !== '' && { max_cost_per_day: maxCostPerDay }),
    ...(currency !== '' && { currency }),
    ...(allowLoss && { allow_loss: true }),
  };
}

/** Returns the fields of the form that differ from the backend. */
export function changesOf(backend: ManagedBackend, form: BackendForm): ChangeBackendRequest {
  const before = formOf(backend);
  const url = form.url.trim();
  return {
    ...(url !== before.url && url !== '' && { url }),
    ...(form.slots !== before.slots && form.slots !== '' && { slots: form.slots }),
    ...(form.labels.join('\n') !== before.labels.join('\n') && { labels: form.labels }),
    ...secretsOf(form),
    ...(form.maxCostPerDay !== before.maxCostPerDay && {
      max_cost_per_day: form.maxCostPerDay === '' ? null : form.maxCostPerDay,
    }),
    ...(form.currency !== before.currency && form.currency !== '' && { currency: form.currency }),
    ...(form.allowLoss !== before.allowLoss && { allow_loss: form.allowLoss }),
  };
}

function secretsOf({ secret, headers }: BackendForm): Pick<ChangeBackendRequest, 'secret' | 'headers'> {
  return {
    ...(secret.trim() !== '' && { secret: secret.trim() }),
    ...(headers.trim() !== '' && { headers: readHeaders(headers) }),
  };
}

/** Returns the number of the first line without a valid header, 1-based. `undefined` when every line is a header. */
export function brokenHeaderLine(text: string): number | undefined {
  const lines = text.split('\n');
  const at = lines.findIndex((line) => line.trim() !== '' && !/^\s*[^:\s]+\s*:/.test(line));
  return at === -1 ? undefined : at + 1;
}

function readHeaders(text: string): Record<string, string> {
  return Object.fromEntries(
    text
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => {
        const colon = line.indexOf(':');
        return [line.slice(0, colon).trim(), line.slice(colon + 1).trim()];
      }),
  );
}
