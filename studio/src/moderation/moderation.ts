/** What judges words before anything is made of them. Another judge, such as a model, can take the list's place. */
export type Moderation = {
  /** Why the text is refused, or undefined. */
  judgeText: (text: string) => Promise<{ reason: string } | undefined>;
};
