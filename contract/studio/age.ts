/**
 * Returns whether an account may not use a model: true for an adult model while the age of the account's holder is not
 * verified.
 */
export function isClosedByAge({ nsfw }: { nsfw: boolean }, ageVerified: boolean): boolean {
  return nsfw && !ageVerified;
}
