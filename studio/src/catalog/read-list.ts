import {
  maxPlans,
  Plan as PublishedPlan,
  PreviewStylesRequest,
} from '@renderkit/contract/studio/administration/lists.ts';
import { millicreditsOf } from '@renderkit/contract/studio/credits.ts';
import { suites } from '@renderkit/contract/studio/kinds.ts';
import { id, oneOf } from '@renderkit/contract/studio/schemas/schema-builders.ts';
import type { Problem } from '@renderkit/engine-kit/problem-codes.ts';
import { type Static, type TSchema, Type } from 'typebox';
import { checkShape } from '@renderkit/manifests/check-shape.ts';
import { readYaml, type YamlNode } from '@renderkit/manifests/read-yaml.ts';
import type { Plan } from './plans.ts';
import type { CatalogLists } from './snapshot.ts';

// Shapes of the lists as they are written.

const list = <T extends TSchema>(of: T, maxItems: number) => Type.Array(of, { minItems: 1, maxItems });
const words = Type.String({ minLength: 1, maxLength: 2_000 });
const name = Type.String({ minLength: 1, maxLength: 200 });

const planKeys = PublishedPlan.properties;
const PlansFile = Type.Object({
  plans: list(
    Type.Object({
      ...planKeys,
      // The key is part of a catalog's ETag.
      key: Type.String({ ...planKeys.key, description: 'letters, digits, - and _, 64 at most' }),
      weight: Type.Optional(planKeys.weight),
      stop_refund: Type.Optional(planKeys.stop_refund),
    }),
    maxPlans,
  ),
});

const SuggestionsFile = Type.Object({
  categories: list(
    Type.Object({
      id,
      name,
      suites: Type.Array(oneOf(suites), { minItems: 1, maxItems: suites.length }),
      suggestions: list(
        Type.Object({
          id,
          name,
          words,
          media_seconds: Type.Optional(Type.Number({ minimum: 0, maximum: 86_400 })),
        }),
        1_000,
      ),
    }),
    200,
  ),
});

type Problems = { readonly problems: readonly Problem[] };
export type ReadList<Name extends keyof CatalogLists> =
  | { readonly content: CatalogLists[Name]; readonly problems?: undefined }
  | (Problems & { readonly content?: undefined });

/**
 * Reads the text of a list (YAML 1.2 or JSON) and checks it: every key known, every value of its type, no id twice.
 * `publish.ts` refuses a list that lacks a plan in use.
 */
export function readList<Name extends keyof CatalogLists>(listName: Name, text: string): ReadList<Name> {
  return readers[listName](text);
}

const readers: { [Name in keyof CatalogLists]: (text: string) => ReadList<Name> } = {
  plans: (text) => {
    const read = readShape(text, PlansFile, 'A list of plans');
    if (read.file === undefined) return read;
    const { plans } = read.file;
    const problems = [
      ...repeats(read.root, 'key'),
      ...plans.flatMap(({ key, monthly_credits: credits }) =>
        millicreditsOf(credits) !== undefined
          ? []
          : [problem(`The credits of ${key} may have three decimals at most.`, lineOf(read.root, key))],
      ),
    ];
    return problems.length > 0 ? { problems } : { content: plans.map(planOf) };
  },
  styles: (text) => {
    const read = readShape(text, PreviewStylesRequest, 'A list of styles');
    if (read.file === undefined) return read;
    const problems = repeats(read.root, 'id');
    if (problems.length > 0) return { problems };
    return { content: read.file.styles.map((style) => ({ ...style, custom: false })) };
  },
  suggestions: (text) => {
    const read = readShape(text, SuggestionsFile, 'A list of suggestions');
    if (read.file === undefined) return read;
    const problems = repeats(read.root, 'id');
    if (problems.length > 0) return { problems };
    return {
      content: read.file.categories.flatMap(({ id: category, name: label, suites: of, suggestions }) =>
        suggestions.map(({ media_seconds = 0, words: said, ...suggestion }) => ({
          ...suggestion,
          category: label,
          category_id: category,
          suites: of,
          media_seconds,
          words: said,
        })),
      ),
    };
  },
};

function readShape<Schema extends TSchema>(
  text: string,
  schema: Schema,
  whole: string,
): { file: Static<Schema>; root: YamlNode } | (Problems & { file?: undefined }) {
  const read = readYaml(text);
  if (read.problems !== undefined) return { problems: read.problems };
  const { value, problems } = checkShape(read.root, schema, whole);
  // The shape has just been checked.
  return problems.length > 0 ? { problems } : { file: value as Static<Schema>, root: read.root };
}

/** Returns the plan with its keys in the order that the digest of a list depends on. */
function planOf({
  monthly_credits: credits,
  weight = 1,
  stop_refund: refund = 'none',
  ...plan
}: Static<typeof PlansFile>['plans'][number]): Plan {
  const { key, name: label, limits, capabilities, storage_bytes: storageBytes } = plan;
  return {
    key,
    name: label,
    // Credits with more decimals were refused before.
    monthly_millicredits: millicreditsOf(credits) ?? 0,
    limits,
    capabilities,
    weight,
    storage_bytes: storageBytes,
    stop_refund: refund,
  };
}

/** Returns a problem for each id that occurs twice, anywhere in the file. */
function repeats(root: YamlNode, key: 'id' | 'key'): Problem[] {
  const seen = new Set<string>();
  return valuesOf(root, key).flatMap(({ value, line }) => {
    if (!seen.has(value)) {
      seen.add(value);
      return [];
    }
    return [problem(`The ${key} ${value} is there twice.`, line)];
  });
}

function lineOf(root: YamlNode, key: string): number {
  return valuesOf(root, 'key').find(({ value }) => value === key)?.line ?? root.line;
}

function valuesOf(node: YamlNode, key: string): { value: string; line: number }[] {
  if (node.type === 'list') return node.items.flatMap((item) => valuesOf(item, key));
  if (node.type !== 'map') return [];
  return [...node.entries].flatMap(([name_, { node: value, line }]) =>
    name_ === key && value.type === 'scalar' ? [{ value: String(value.value), line }] : valuesOf(value, key),
  );
}

function problem(message: string, line: number): Problem {
  return { code: 'invalid_yaml', message, line };
}
