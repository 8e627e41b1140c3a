/** That of the package, which a test compares. */
export const version = '0.1.0';
