import { Type } from 'typebox';
import { maxPathIdCharacters } from '../../v1/limits.ts';
import { closed } from '../../v1/schemas/schema-builders.ts';

/** The parameters of a path that names one thing. */
export function idParams(what: string) {
  return closed({
    id: Type.String({ minLength: 1, maxLength: maxPathIdCharacters, description: `Id of ${what}.` }),
  });
}
