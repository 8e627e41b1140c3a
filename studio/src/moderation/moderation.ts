/** Checks texts and files before anything is made of them. Another check, such as a model, can replace the list. */
export type Moderation = {
  /** Why the text is refused, or undefined. */
  moderateText: (text: string) => Promise<{ reason: string } | undefined>;
  /** Why the file is refused, or undefined. */
  moderateUpload: (file: ModeratedFile) => Promise<{ reason: string } | undefined>;
  /** How long the check of a file of this name is put off. */
  uploadDelaySeconds: (fileName: string) => Promise<number>;
};

export type ModeratedFile = {
  fileName: string;
  /** Of the bytes, in lower-case hex. */
  sha256: string;
};
