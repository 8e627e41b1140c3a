let isFree = false;

/** The page is left by what nobody may hold up: a sign-out, an ended session, another account. Nothing is asked any more. */
export function leaveFreely(): void {
  isFree = true;
}

/** Whether whoever leaves is not to be asked. */
export const leavesFreely = () => isFree;
