/**
 * Returns whether an account may not use a model: true for an adult model while the age of the account's holder is not
 * verified. `requireAge` in `service/src/catalog/validate-body.ts` and `planRefusal` in
 * `studio/src/renders/validate-render.ts` refuse.
 */
export function isClosedByAge({ nsfw }: { nsfw: boolean }, ageVerified: boolean): boolean {
  return nsfw && !ageVerified;
}
