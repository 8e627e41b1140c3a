import { createHash } from 'node:crypto';
import type { Catalog, StudioStyle } from '@renderkit/contract/studio/schemas/catalog.ts';
import type { RenderRequest } from '@renderkit/contract/studio/schemas/render.ts';
import { type CatalogModel, models } from './models.ts';
import type { Tier } from './plans.ts';
import { platformStyles } from './styles.ts';
import { platformSuggestions } from './suggestions.ts';

const byId = new Map(models.map((model) => [model.offered.id, model]));
const styleWords = new Map(platformStyles.map(({ id, words }) => [id, words]));
const suggestionWords = new Map(platformSuggestions.map(({ id, words }) => [id, words]));

const shared = {
  models: models.map(({ offered }) => offered),
  styles: platformStyles.map(({ words: _words, ...style }) => style),
  suggestions: platformSuggestions.map(({ words: _words, ...suggestion }) => suggestion),
};
const sharedVersion = createHash('sha256').update(JSON.stringify(shared)).digest('base64url').slice(0, 16);

export function findModel(id: string): CatalogModel | undefined {
  return byId.get(id);
}

/** Seconds that a render of a model waits before anything of it is drawn, as its request says; 0 with most models. */
export function delaySecondsOf(request: Pick<RenderRequest, 'model' | 'options'>): number {
  const model = findModel(request.model);
  if (model?.delayOption === undefined) return 0;
  const option = model.offered.parameters.options.find(({ key }) => key === model.delayOption);
  const { min = 0, max = 0, default: usual = 0 } = option ?? {};
  const asked = Number(request.options[model.delayOption] ?? usual);
  return Number.isFinite(asked) ? Math.min(Math.max(asked, min), max) : Number(usual);
}

/** Whether this is a style or suggestion of the platform. */
export function isPlatformChoice(id: string): boolean {
  return styleWords.has(id) || suggestionWords.has(id);
}

/** The words that styles and suggestions stand for, for an engine; a style of the account's own stands for its name. */
export function wordsOf(ids: readonly string[], own: ReadonlyMap<string, string>): string[] {
  return ids.flatMap((id) => styleWords.get(id) ?? suggestionWords.get(id) ?? own.get(id) ?? []);
}

/**
 * Names the catalog that an account sees: it changes when the models, prices, styles or suggestions do, when the
 * plan does, and when the account's own styles do.
 */
export function catalogVersion(account: { id: string; tier: Tier; styles_version: number }): string {
  const own = account.styles_version === 0 ? '' : `-${account.id.slice(-12)}.${account.styles_version}`;
  return `${sharedVersion}-${account.tier}${own}`;
}

/** Every model whatever the plan, so that requests for what is out of reach can be validated too. */
export function catalogFor(
  account: { id: string; tier: Tier; styles_version: number },
  ownStyles: StudioStyle[],
): Catalog {
  return {
    version: catalogVersion(account),
    plan: account.tier,
    ...shared,
    styles: [...shared.styles, ...ownStyles],
  };
}
