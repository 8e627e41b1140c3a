/**
 * The account that a page of the console shows, sent with the page's requests. A request is refused as `other_account`
 * when its session now belongs to another account. Without the header, the account of the session is used.
 * `service/src/console-api/routes.ts` refuses such a request.
 */
export const accountHeader = 'renderkit-account';
