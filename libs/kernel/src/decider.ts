/** A rule as three pure parts: what follows from a command in a state, what an event does to a state, and where it starts. */
export interface Decider<Command, Event, State> {
  decide(command: Command, state: State): readonly Event[];
  evolve(state: State, event: Event): State;
  readonly initial: State;
}
