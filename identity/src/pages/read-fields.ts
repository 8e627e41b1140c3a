import { passwordError } from '../passwords/password-rules.ts';

export type Fields = ReadonlyMap<string, string>;
/** The error of each field, by the field's name. */
export type FieldErrors = Readonly<Record<string, string>>;

const nameLength = 100;
// The longest address that SMTP can carry.
const emailLength = 254;

/** Reads the fields of a form; ignores a field that was sent twice. */
export function readFields(body: unknown): Fields {
  const pairs = [...new URLSearchParams(typeof body === 'string' ? body : '')];
  const count = Map.groupBy(pairs, ([name]) => name);
  return new Map(pairs.filter(([name]) => count.get(name)?.length === 1));
}

/** Returns the e-mail address of a form; `undefined` where it cannot be one. */
export function readEmail(fields: Fields): string | undefined {
  const email = fields.get('email')?.trim() ?? '';
  return email.length <= emailLength && /^[^\s\p{Cc}@]+@[^\s\p{Cc}@]+$/u.test(email) ? email : undefined;
}

/** Returns the fields of a new account, or their errors. */
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
