/** Letters of the English alphabet, digits and white space. */
export const projectTitlePattern = '^[a-zA-Z0-9\\s]*$';
export const minProjectTitleCharacters = 2;
export const maxProjectTitleCharacters = 50;
