import { isClosedByAge } from '@renderkit/contract/studio/age.ts';
import { type Issue, sentenceOf } from '@renderkit/contract/studio/issues.ts';
import { type Kind, kindFacts, type Lane, outputsOf } from '@renderkit/contract/studio/kinds.ts';
import { priceOf } from '@renderkit/contract/studio/price.ts';
import type { Catalog, StudioModel } from '@renderkit/contract/studio/schemas/catalog.ts';
import type { RenderRequest } from '@renderkit/contract/studio/schemas/render.ts';
import { validateChoices } from '@renderkit/contract/studio/validate-choices.ts';
import { validateReferenceForms } from '@renderkit/contract/studio/validate-references.ts';
import { type AskedRequest, validateMode, validateRequest } from '@renderkit/contract/studio/validate.ts';
import { maxProblemErrors } from '@renderkit/contract/v1/limits.ts';
import { ApiProblem } from '../problems/api-problem.ts';
import { type CatalogIndex, indexOf, isIncluded } from './catalog-index.ts';
import { describeUnknownName } from './describe-unknown-name.ts';

/** A request that is valid for the catalog, in the form that the studio expects. */
export type ValidatedRequest = {
  model: StudioModel;
  /** With every default filled in. */
  renderRequest: RenderRequest;
  lane: Lane;
  costMillicredits: number;
  outputs: number;
};

/**
 * Validates the body of a create against its model (docs/api.md §4). The body has already passed the schema of its
 * kind. Reports first all wrong fields together, then whether the plan includes the model.
 * @throws ApiProblem invalid_request, tier_required
 */
export function validateBody(catalog: Catalog, kind: Kind, body: unknown): ValidatedRequest {
  const asked = body as AskedRequest & { readonly model?: string };
  const index = indexOf(catalog);
  const named = modelOf(index, kind, asked.model);
  const issues = [
    ...('issue' in named ? [named.issue] : []),
    ...validateChoices(kind, index, asked),
    ...validateReferenceForms({ ...asked }),
  ];
  if ('issue' in named)
    throw invalid([...issues, ...(kind === 'image_edit' ? validateMode(asked) : [])], index, kind);
  const { model } = named;
  const { issues: ofModel, request } = validateRequest(kind, model, asked);
  if (issues.length + ofModel.length > 0) throw invalid([...issues, ...ofModel], index, kind, model);
  if (!isIncluded(model, catalog.plan))
    throw new ApiProblem('tier_required', {
      detail: `The plan does not include the model ${model.id}; these do: ${model.tiers.join(', ')}.`,
    });
  return {
    model,
    renderRequest: request,
    lane: kindFacts[kind].lane,
    costMillicredits: priceOf(model, request),
    outputs: outputsOf(model, kind),
  };
}

/**
 * Returns the named model, or the default model of the suite. An extension names no model: the platform has one model
 * for it.
 */
function modelOf(
  index: CatalogIndex,
  kind: Kind,
  id: string | undefined,
): { model: StudioModel } | { issue: Issue } {
  const { suite } = kindFacts[kind];
  const model = id === undefined ? index.defaults.get(suite) : index.models.get(id);
  if (model === undefined && kind === 'video_extend')
    throw new ApiProblem('invalid_request', { detail: 'The studio has no model that extends videos.' });
  const field = 'model';
  if (model === undefined)
    return {
      issue:
        id === undefined ? { field, code: 'model_unnamed' } : { field, code: 'unknown_model', asked: id },
    };
  return model.suites.includes(suite)
    ? { model }
    : { issue: { field, code: 'model_of_other_suite', asked: model.id, allowed: model.suites } };
}

/** Makes the refusal that lists the issues. For unknown names its messages suggest similar names. */
function invalid(issues: readonly Issue[], index: CatalogIndex, kind: Kind, model?: StudioModel): ApiProblem {
  return new ApiProblem('invalid_request', {
    errors: issues.slice(0, maxProblemErrors).map((issue) => ({
      field: issue.field,
      message: describeUnknownName(issue, index, kind, model) ?? sentenceOf(issue),
    })),
  });
}

/**
 * Refuses a model for adults when the age of the account is not verified. Called after all other checks against the
 * catalog.
 */
export function requireAge(model: StudioModel, ageVerified: boolean): void {
  if (isClosedByAge(model, ageVerified))
    throw new ApiProblem('forbidden', {
      detail: `The model ${model.id} is for accounts whose age has been verified.`,
    });
}
