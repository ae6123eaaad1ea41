/** Injection token of the simulators' state. */
export const STAGE = Symbol('stage');
