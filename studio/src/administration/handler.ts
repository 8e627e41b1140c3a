import type { AdministrationOperationId } from '@renderkit/contract/studio/administration/operations.ts';
import type { StudioAnswer } from '@renderkit/contract/studio/operations.ts';
import type { Call } from '../http/register-operations.ts';
import type { Asker } from './asker.ts';

/**
 * Answers an operation for an administrator. Its errors of a model or a backend become refusals. The handlers are in
 * the files beside this one that end in `-handlers.ts`. `routes.ts` admits only administrators, and `refusals.ts` makes
 * the refusals.
 */
export type AdministrationHandler<Id extends AdministrationOperationId> = (
  call: Call<Id> & { asker: Asker },
) => Promise<StudioAnswer<Id>>;
export type AdministrationHandlers = { [Id in AdministrationOperationId]: AdministrationHandler<Id> };
