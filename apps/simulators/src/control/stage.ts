export const STAGE = Symbol('stage');
