import { createQueryClient } from '../api/query-client.ts';
import { tellProblem } from '../ui/toasts.ts';

/** Where somebody whose session has ended is sent; the router says so when it is made. */
let leave: () => void = () => undefined;
export function whenSignedOut(act: () => void): void {
  leave = act;
}

export const queryClient = createQueryClient({ onSignedOut: () => leave(), onRefused: tellProblem });
