import { expect } from '@jest/globals';

/** Given-when-then for a decider: `given` applies past events, `when` decides on their state. */
export const givenEvents =
  <State, Event>(evolve: (state: State, event: Event) => State, initial: State) =>
  (...past: readonly Event[]) => {
    const state = past.reduce<State>((before, event) => evolve(before, event), initial);
    return {
      state,
      when: <Decided>(decide: (state: State) => readonly Decided[]) => ({
        then: (...expected: readonly Decided[]) => expect(decide(state)).toEqual(expected),
        thenRefused: (message: string) => expect(() => decide(state)).toThrow(message),
      }),
    };
  };
