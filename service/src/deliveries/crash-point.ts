/** Called by name where the process may die at the worst moment; a test entry ends it there. In order of an attempt. */
export type DeliveryCrashPointName = 'delivery-claimed' | 'delivery-posted' | 'delivery-recorded';

export type DeliveryCrashPoint = (name: DeliveryCrashPointName) => void | Promise<void>;
