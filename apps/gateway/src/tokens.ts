/** Injection tokens of the gateway's module. */
export const CONTEXT = Symbol('context');
export const ADMIN_TOKEN = Symbol('administrator token');
