import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import { type EngineName, engineNames } from '@renderkit/engine-kit/route.ts';
import { oneOf } from '@renderkit/contract/studio/schemas/schema-builders.ts';
import { type Static, Type } from 'typebox';
import { checkShape } from '@renderkit/manifests/check-shape.ts';
import { readYaml } from '@renderkit/manifests/read-yaml.ts';

const text = Type.String({ minLength: 1, maxLength: 2_000 });
const currency = Type.String({ pattern: '^[A-Z]{3}$', description: 'three capital letters, such as USD' });
/** An environment variable holds the secret: the file may be shared, the secret may not. */
const FromVariable = Type.Object({ env: text });

const BackendsFile = Type.Object({
  backends: Type.Array(
    Type.Object({
      name: text,
      engine: oneOf(engineNames),
      url: Type.Optional(text),
      slots: Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000 })),
      labels: Type.Optional(Type.Array(text, { maxItems: 50 })),
      secret: Type.Optional(FromVariable),
      headers: Type.Optional(
        Type.Record(Type.String(), Type.Union([text, Type.Object({ secret: FromVariable })])),
      ),
      max_cost: Type.Optional(
        Type.Object({ currency, per_day: Type.Number({ minimum: 0, maximum: 9_999_999 }) }),
      ),
      allow_loss: Type.Optional(Type.Boolean()),
    }),
    { maxItems: 500 },
  ),
  /** The worth of a credit when a provider's cost is compared with a price. */
  credit_value: Type.Optional(
    Type.Object({ currency, per_credit: Type.Number({ exclusiveMinimum: 0, maximum: 9_999 }) }),
  ),
});

export type BackendsFile = Static<typeof BackendsFile>;
export type BackendInFile = BackendsFile['backends'][number] & { engine: EngineName };

const fileName = /^backends\.(?:ya?ml|json)$/;

/** Returns whether a file of this name describes backends, not the catalog. */
export function isBackendsFile(file: string): boolean {
  return fileName.test(path.basename(file));
}

/** Returns the files of backends in a folder, usually at most one. Returns none if there is no such folder. */
export async function findBackendsFiles(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw error;
  });
  return names.filter(isBackendsFile).map((name) => path.join(folder, name));
}

type Read =
  | { readonly content: BackendsFile; readonly problems?: undefined }
  | { readonly problems: readonly Problem[]; readonly content?: undefined };

/** Reads and checks the file at this path. */
export async function readBackendsAt(file: string): Promise<Read> {
  return readBackendsFile(await readFile(file, 'utf8'));
}

/**
 * Reads `backends.yaml` (YAML 1.2 or JSON), strictly: every key known, no name twice. `apply-backends.ts` applies it,
 * and `check-settings.ts` checks the values.
 */
export function readBackendsFile(source: string): Read {
  const read = readYaml(source);
  if (read.problems !== undefined) return { problems: read.problems };
  const { value, problems } = checkShape(read.root, BackendsFile, 'A list of backends');
  if (problems.length > 0) return { problems };
  // The shape has just been checked.
  const content = value as BackendsFile;
  const names = content.backends.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) < index);
  return twice === undefined
    ? { content }
    : { problems: [{ code: 'choice_unknown', message: `There are two backends of the name ${twice}.` }] };
}
