/** One thing that is wrong with a JSON text; `path` is `reference_images[2]`, `options.steps`, empty for the whole text. */
export type JsonIssue = { path: string; message: string };

/** A text that is no JSON, that two parsers might read differently, or too intricate to be honest. */
export class InvalidJson extends Error {
  override name = 'InvalidJson';
  /** One at least. */
  readonly issues: readonly JsonIssue[];

  constructor(issues: readonly JsonIssue[], cause?: unknown) {
    super(issues.map(({ path, message }) => `${path} ${message}`.trim()).join('; '), { cause });
    this.issues = issues;
  }
}
