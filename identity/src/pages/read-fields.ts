import { passwordError } from '../passwords/password-rules.ts';

export type Fields = ReadonlyMap<string, string>;
/** What is wrong with a field, by its name. */
export type FieldErrors = Readonly<Record<string, string>>;

const nameLength = 100;
// The longest that SMTP can carry.
const emailLength = 254;

/** A field as it was sent; one that was sent twice is as good as none. */
export function readFields(body: unknown): Fields {
  const pairs = [...new URLSearchParams(typeof body === 'string' ? body : '')];
  const count = Map.groupBy(pairs, ([name]) => name);
  return new Map(pairs.filter(([name]) => count.get(name)?.length === 1));
}

/** An address as it is looked up, or undefined for what cannot be one. */
export function readEmail(fields: Fields): string | undefined {
  const email = fields.get('email')?.trim() ?? '';
  return email.length <= emailLength && /^[^\s\p{Cc}@]+@[^\s\p{Cc}@]+$/u.test(email) ? email : undefined;
}

/** The fields of a new account, or what is wrong with them. */
export function readSignUp(
  fields: Fields,
): { email: string; name: string; password: string } | { errors: FieldErrors } {
  const email = readEmail(fields);
  const name = fields.get('name')?.trim().replaceAll(/\s+/g, ' ') ?? '';
  const password = fields.get('password') ?? '';
  const errors = {
    ...((name === '' || [...name].length > nameLength || /\p{Cc}/u.test(name)) && {
      name: `Enter a name of at most ${nameLength} characters.`,
    }),
    ...(email === undefined && { email: 'Enter an e-mail address such as ada@example.org.' }),
    ...(passwordError(password, email) !== undefined && { password: passwordError(password, email) ?? '' }),
  };
  return email === undefined || Object.keys(errors).length > 0 ? { errors } : { email, name, password };
}
