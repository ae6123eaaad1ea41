/** Names the simulators' state for injection. */
export const STAGE = Symbol('stage');
