/** Whether a model is closed to an account: one for adults is, while nobody has verified the age of the account's holder. */
export function isClosedByAge({ nsfw }: { nsfw: boolean }, ageVerified: boolean): boolean {
  return nsfw && !ageVerified;
}
