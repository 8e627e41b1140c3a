/**
 * The account that a page of the console shows, on what the page asks for. A request whose session is by now that of another
 * account is refused as `other_account`; one without the header counts as the session's own.
 */
export const accountHeader = 'renderkit-account';
