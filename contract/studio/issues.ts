import type { Suite } from './kinds.ts';

/** The details of each code, in addition to the field: the value of the request, and what is allowed. */
type Details = {
  // Names that the catalog does not have.
  unknown_model: { asked: string };
  unknown_style: { asked: string };
  unknown_suggestion: { asked: string };
  unknown_option: { asked: string; allowed: readonly string[] };
  unknown_project: { asked: string };
  /** The request names no model, and there is no default model. */
  model_unnamed: object;
  model_of_other_suite: { asked: string; allowed: readonly Suite[] };
  style_of_other_type: { asked: string; allowed: 'image' | 'video' };
  suggestion_of_other_suite: { asked: string; allowed: readonly Suite[] };
  /** `other` is the field that already uses the category. */
  suggestion_of_same_category: { asked: string; other: string };

  // Fields that the model needs or does not have.
  required: object;
  not_a_setting: object;
  not_taken: object;
  too_many: { asked: number; allowed: number };
  cannot_inpaint: object;
  inpaint_only: object;
  required_by_inpaint: object;

  // Values that the model does not offer.
  not_offered: { asked: unknown; allowed: readonly string[] };
  not_a_truth: { asked: unknown };
  not_a_number: { asked: unknown };
  not_a_text: { asked: unknown };
  too_many_characters: { asked: number; allowed: number };
  out_of_range: { asked: number; allowed: { min: number; max: number } };
  off_step: { asked: number; allowed: { min: number; step: number } };

  // References by their form.
  not_a_reference: object;
  not_a_mask: object;
  not_a_library_video: object;
  unknown_item: object;

  // References whose media are unsuitable. Seconds, pixels, megabytes.
  not_an_image: object;
  not_a_video: object;
  not_an_audio: object;
  not_a_png: object;
  other_ratio: object;
  too_long: { asked: number; allowed: number };
  too_narrow: { asked: number; allowed: number };
  too_low: { asked: number; allowed: number };
  too_large: { allowed: number };
};

type IssueCode = keyof Details;

/** A part of a request that its model does not accept. `field` is its path in the request body of the API. */
export type Issue = { [C in IssueCode]: { field: string; code: C } & Details[C] }[IssueCode];

/**
 * The text for each code: a clause that continues after the name of the field, without a full stop. The API uses it
 * (and adds suggestions for unknown names, which need the catalog). The studio uses it for clients other than the
 * service.
 */
const sentences: { [C in IssueCode]: (details: Details[C]) => string } = {
  unknown_model: () => 'there is no such model',
  unknown_style: () => 'there is no such style',
  unknown_suggestion: () => 'there is no such suggestion',
  unknown_option: ({ allowed }) => `there is no such option; the model has ${listed(allowed) || 'none'}`,
  unknown_project: () => 'there is no such project',
  model_unnamed: () => 'must be named: there is no default',
  model_of_other_suite: ({ allowed }) => `is not for this: its suites are ${allowed.join(', ') || 'none'}`,
  style_of_other_type: ({ allowed }) => `is a style for ${allowed}s`,
  suggestion_of_other_suite: ({ allowed }) => `is for ${allowed.join(', ') || 'nothing here'}`,
  suggestion_of_same_category: ({ other }) => `is of the same category as ${other}`,

  required: () => 'is required by this model',
  not_a_setting: () => 'is not a setting of this model',
  not_taken: () => 'is not taken by this model',
  too_many: ({ allowed }) => `this model takes ${allowed} at most`,
  cannot_inpaint: () => 'this model cannot inpaint',
  inpaint_only: () => 'is for the mode inpaint alone',
  required_by_inpaint: () => 'is required by the mode inpaint',

  not_offered: ({ allowed }) => `must be one of ${listed(allowed, 30)}`,
  not_a_truth: () => 'must be true or false',
  not_a_number: () => 'must be a number',
  not_a_text: () => 'must be a text',
  too_many_characters: ({ allowed }) => `must have ${allowed} characters at most`,
  out_of_range: ({ allowed: { min, max } }) => `must be from ${min} to ${max}`,
  off_step: ({ allowed: { min, step } }) => `must go in steps of ${step} from ${min}`,

  not_a_reference: () => 'must be the id of an item in the library, of an upload, or an https address',
  not_a_mask: () => 'must be a PNG as a data URL (data:image/png;base64,…), or the id of an upload',
  not_a_library_video: () => 'must be the id of a video in the library',
  unknown_item: () => 'there is no such item in the library',

  not_an_image: () => 'must be an image',
  not_a_video: () => 'must be a video',
  not_an_audio: () => 'must be an audio file',
  not_a_png: () => 'must be a PNG',
  other_ratio: () => 'must have the aspect ratio of the image',
  too_long: ({ allowed }) => `must be ${allowed} seconds long at most`,
  too_narrow: ({ allowed }) => `must be ${allowed} pixels wide at least`,
  too_low: ({ allowed }) => `must be ${allowed} pixels high at least`,
  too_large: ({ allowed }) => `must have ${allowed} MB at most`,
};

/** All issue codes. */
export const issueCodes = Object.keys(sentences) as IssueCode[];

/** Returns what is wrong, as a clause that continues after the name of the field, without a full stop. */
export function sentenceOf(issue: Issue): string {
  return (sentences[issue.code] as (details: Issue) => string)(issue);
}

/** Joins at most `max` names: "a, b and 3 more". */
export function listed(names: readonly string[], max = 12): string {
  const rest = names.length - max;
  return rest > 0 ? `${names.slice(0, max).join(', ')} and ${rest} more` : names.join(', ');
}
