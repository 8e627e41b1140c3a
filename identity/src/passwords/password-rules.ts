const passwordLength = { min: 10, max: 200 };
/** The rules, to show next to a field. */
export const passwordHint = `${passwordLength.min} characters or more; several words are good.`;

/**
 * Returns what is wrong with a new password. Only its length matters (NIST SP 800-63B §3.1.1.2), not its kinds of
 * characters. The pages apply this; a password that an operator gives to a command is not checked.
 */
export function passwordError(password: string, email: string | undefined): string | undefined {
  const { length } = [...password];
  if (length < passwordLength.min) return `Use ${passwordLength.min} characters or more.`;
  if (length > passwordLength.max) return `Use ${passwordLength.max} characters at most.`;
  if (email !== undefined && password.toLowerCase() === email.toLowerCase())
    return 'Use something else than your e-mail address.';
  return undefined;
}
