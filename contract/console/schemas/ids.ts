import { Type } from 'typebox';
import { maxPathIdCharacters } from '../../v1/limits.ts';
import { closed } from '../../v1/schemas/schema-builders.ts';

/** Returns the path parameters for the id of one thing. */
export function idParams(what: string) {
  return closed({
    id: Type.String({ minLength: 1, maxLength: maxPathIdCharacters, description: `Id of ${what}.` }),
  });
}
