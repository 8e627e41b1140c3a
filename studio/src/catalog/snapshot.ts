import { hash } from 'node:crypto';
import { kindFacts, type Suite } from '@renderkit/contract/studio/kinds.ts';
import type { Catalog, StudioStyle, StudioSuggestion } from '@renderkit/contract/studio/schemas/catalog.ts';
import type { RenderRequest } from '@renderkit/contract/studio/schemas/render.ts';
import type { Manifest } from '@renderkit/manifests/manifest.ts';
import { type CatalogModel, catalogModel, type VersionFacts } from './catalog-model.ts';
import { builtInImageOf } from './built-in-images.ts';
import type { Plan } from './plans.ts';

/** A style and the words that it adds for the engine. */
export type PlatformStyle = StudioStyle & { words: string };
/** A building block of a prompt and the words that it adds. */
export type PlatformSuggestion = StudioSuggestion & { words: string };

/** The published lists. */
export type CatalogLists = {
  plans: readonly Plan[];
  styles: readonly PlatformStyle[];
  suggestions: readonly PlatformSuggestion[];
};

/** A published version, as the database has it. */
export type PublishedModel = VersionFacts & {
  manifest: Manifest;
  /** It came with the product, and no operator has replaced it. */
  builtIn: boolean;
  /** It makes the same as the product's own version. */
  asBrought: boolean;
  /** ISO 8601. */
  publishedAt: string;
};

/** Everything that is published at one moment. A snapshot never changes. */
export type CatalogSnapshot = {
  /** Grows with every publication. */
  revision: number;
  /** By id, in the order of lists. */
  models: ReadonlyMap<string, CatalogModel>;
  /** By key; the first is that of new accounts. */
  plans: ReadonlyMap<string, Plan>;
  /** What all accounts see, in addition to styles of their own. */
  shared: Pick<Catalog, 'models' | 'styles' | 'suggestions'>;
  /** Changes whenever `shared` changes. */
  contentVersion: string;
  /** Words for an engine, by the id of a style or suggestion. */
  words: ReadonlyMap<string, string>;
};

/** Builds the catalog of one moment. `mediaUrl` ends with a slash and is the prefix of a thumbnail's key. */
export function makeSnapshot(
  revision: number,
  published: readonly PublishedModel[],
  { plans, styles, suggestions }: CatalogLists,
  mediaUrl: string,
): CatalogSnapshot {
  const defaults = defaultsOf(published);
  const models = published.map(({ manifest, ...row }) => {
    const { version, thumbnailKey, paused, sampleSeconds } = row;
    const model = catalogModel(manifest, { version, thumbnailKey, paused, sampleSeconds });
    const defaultFor = manifest.default_for.filter((suite) => defaults.get(suite) === manifest.id);
    return { ...model, offered: { ...model.offered, default_for: defaultFor } };
  });
  const own = new Set(published.flatMap(({ asBrought, manifest }) => (asBrought ? [manifest.id] : [])));
  const shared = {
    models: models.map(({ id, offered, thumbnailKey }) => {
      const key = thumbnailKey ?? (own.has(id) ? builtInImageOf(id) : null);
      return { ...offered, thumbnail: key === null ? null : mediaUrl + key };
    }),
    styles: styles.map(({ words: _words, ...style }) => style),
    suggestions: suggestions.map(({ words: _words, ...suggestion }) => suggestion),
  };
  return {
    revision,
    models: new Map(models.map((model) => [model.id, model])),
    plans: new Map(plans.map((plan) => [plan.key, plan])),
    shared,
    contentVersion: hash('sha256', JSON.stringify(shared), 'base64url').slice(0, 16),
    words: new Map([...styles, ...suggestions].map(({ id, words }) => [id, words])),
  };
}

/** Returns one default for each suite. Of several, an operator's own wins, then the one published last. */
function defaultsOf(published: readonly PublishedModel[]): ReadonlyMap<Suite, string> {
  const rising = published.toSorted(
    (a, b) => Number(b.builtIn) - Number(a.builtIn) || a.publishedAt.localeCompare(b.publishedAt),
  );
  return new Map(
    rising.flatMap(({ manifest }) => manifest.default_for.map((suite) => [suite, manifest.id] as const)),
  );
}

/** Returns the plan of new accounts. */
export function initialPlan(plans: Iterable<Plan>): Plan {
  const [first] = plans;
  if (first === undefined) throw new Error('the published list of plans is empty');
  return first;
}

/** Returns the seconds that a render waits before anything of it is drawn, as its request asks; 0 for most models. */
export function delaySecondsOf(model: CatalogModel, request: Pick<RenderRequest, 'options'>): number {
  const key = model.routes[0]?.delay_option;
  if (key === undefined) return 0;
  const option = model.offered.parameters.options.find((one) => one.key === key);
  const { min = 0, max = 0, default: usual = 0 } = option ?? {};
  const asked = Number(request.options[key] ?? usual);
  return Number.isFinite(asked) ? Math.min(Math.max(asked, min), max) : Number(usual);
}

/** Returns whether a model makes renders of this kind. */
export function makes({ offered }: CatalogModel, { kind }: Pick<RenderRequest, 'kind'>): boolean {
  return offered.suites.includes(kindFacts[kind].suite);
}

/**
 * Returns the words of styles and suggestions for an engine. A style of the account's own has its name as its words.
 */
export function wordsOf(
  { words }: Pick<CatalogSnapshot, 'words'>,
  ids: readonly string[],
  own: ReadonlyMap<string, string>,
): string[] {
  return ids.flatMap((id) => words.get(id) ?? own.get(id) ?? []);
}

type CatalogAccount = { id: string; tier: string; styles_version: number };

/**
 * Returns the version of the catalog that an account sees. It changes with the models, prices, styles or suggestions,
 * with the plan, and with the account's own styles.
 */
export function catalogVersion({ contentVersion }: CatalogSnapshot, account: CatalogAccount): string {
  const own = account.styles_version === 0 ? '' : `-${account.id.slice(-12)}.${account.styles_version}`;
  return `${contentVersion}-${account.tier}${own}`;
}

/**
 * Builds the catalog that an account sees. It has every model, whatever the plan, so that requests for models beyond
 * the plan can be validated too.
 */
export function catalogFor(
  snapshot: CatalogSnapshot,
  account: CatalogAccount,
  ownStyles: StudioStyle[],
): Catalog {
  const { shared } = snapshot;
  return {
    version: catalogVersion(snapshot, account),
    plan: account.tier,
    ...shared,
    styles: [...shared.styles, ...ownStyles],
  };
}
