/**
 * One problem of a JSON text. `path` is for example `reference_images[2]` or `options.steps`; empty for the whole text.
 */
export type JsonIssue = { path: string; message: string };

/** The text is no JSON, or two parsers might read it differently, or it is too complex to be legitimate. */
export class InvalidJson extends Error {
  override name = 'InvalidJson';
  /** Has at least one entry. */
  readonly issues: readonly JsonIssue[];

  constructor(issues: readonly JsonIssue[], cause?: unknown) {
    super(issues.map(({ path, message }) => `${path} ${message}`.trim()).join('; '), { cause });
    this.issues = issues;
  }
}
