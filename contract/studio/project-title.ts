/**
 * Letters of the English alphabet, digits and white space. `contract/v1/schemas/project.ts` and
 * `studio/src/projects/routes.ts` apply these rules.
 */
export const projectTitlePattern = '^[a-zA-Z0-9\\s]*$';
export const minProjectTitleCharacters = 2;
export const maxProjectTitleCharacters = 50;
