/** Injection tokens of the gateway's module. */
export const CONTEXT = Symbol('context');
/** `{ operations }` of this process. */
export const OWN_OPERATIONS = Symbol('operations of this process');
