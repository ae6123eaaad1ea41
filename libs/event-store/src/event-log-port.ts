/** The port of event logs (architecture 4): the declarations of an owner of state, and the interfaces that it gets. */

/** The place of a state document: a collection of the owner's database and its `_id`. */
export interface DocumentAddress {
  readonly collection: string;
  readonly id: string;
}

/** The states that the commands of a group read. Reading is in memory: a group's needs are loaded before it is decided. */
export interface StateView<State> {
  /** The state at this address after the group's earlier commands, or undefined if there is none. */
  get(address: DocumentAddress): State | undefined;
  /** All loaded or newly decided states of `collection` for which the definition's `lookup` gives this key (see {@link LogDefinition.lookups}). */
  find(collection: string, key: string): readonly { readonly id: string; readonly state: State }[];
}

/** Self-reported state: a write beside the event log (architecture 4). */
export interface SelfReport {
  readonly address: DocumentAddress;
  /** Removes all self-reports of the document, before the other changes of this one. */
  readonly clear?: true;
  /** Fields to set; dotted paths below the definition's `selfReportedField`. */
  readonly set?: Readonly<Record<string, unknown>>;
  /** Fields that only increase. */
  readonly max?: Readonly<Record<string, number | Date>>;
  /** Numbers to add to fields; added again where a write is repeated since the store did not answer. */
  readonly add?: Readonly<Record<string, number>>;
}

export interface Decision<Event, Reply> {
  readonly events: readonly Event[];
  readonly reply: Reply;
  /** Written in the same group, after the commit if any; not replayable. */
  readonly selfReports?: readonly SelfReport[];
}

/** All documents of a collection whose `field` equals `value`. */
export interface Lookup {
  readonly collection: string;
  readonly field: string;
  readonly value: string;
  /** Ids of documents that the lookup finds if they exist: they need no separate query. */
  readonly ids?: readonly string[];
}

/** The data that deciding a command needs. */
export interface Needs {
  /** Documents by `_id`. */
  readonly ids?: readonly DocumentAddress[];
  /** Documents by an indexed field. */
  readonly lookups?: readonly Lookup[];
  /**
   * Documents that the command creates: its events are applied to them as if they were absent, without a read. One that is there is replaced by the
   * new state. A `get` of one reads it.
   */
  readonly created?: readonly DocumentAddress[];
}

/** Documents that deciding turned out to need. */
export type FurtherNeeds = Required<Omit<Needs, 'created'>>;

export interface LogDefinition<Command, Event, State, Reply, Context = void> {
  /** Prefix of the log names, e.g. `devices` for `devices-0` to `devices-15`. */
  readonly category: string;
  needs(command: Command): Needs;
  /** Runs once per group before it is decided, for input that pure functions cannot have (blocks of numbers). Repeated after a conflict. */
  prepare?(commands: readonly Command[], view: StateView<State>): Promise<Context>;
  /** Pure. A thrown Fault refuses only this command. */
  decide(command: Command, view: StateView<State>, context: Context): Decision<Event, Reply>;
  /** The documents that an event is applied to, usually one. */
  addresses(event: Event): readonly DocumentAddress[];
  evolve(state: State | undefined, event: Event, address: DocumentAddress): State;
  encode(event: Event): Uint8Array;
  decode(bytes: Uint8Array): Event;
  /** False for an event kind of a newer version: its documents are blocked (ADR 27). */
  isKnown(event: Event): boolean;
  /**
   * The documents that an event names independently of its kind. Other documents are stored with the commit, so that a version without the kind knows
   * which are affected.
   * @default none
   */
  named?(event: Event): readonly DocumentAddress[];
  /** A state as a document, without `_id` and `rev`; it replaces all of `fields`, and no others. It must be storable on MongoDB 4.0. */
  toDocument(state: State, address: DocumentAddress): Record<string, unknown>;
  /**
   * Per collection, the top-level fields that this version owns: all that `toDocument` writes. Other fields belong to a newer version, and are
   * preserved.
   */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  /** True for the state of erased data, whose document must not keep any other field, whichever version owns it. @default false */
  clears?(state: State, address: DocumentAddress): boolean;
  fromDocument(document: Record<string, unknown>, address: DocumentAddress): State;
  /** Fields whose values `StateView.find` looks up, per collection, e.g. `{ devices: 'hwidHash' }`. */
  readonly lookups?: Readonly<Record<string, string>>;
  /** The sub-document of self-reported state, which states preserve, e.g. `self`. */
  readonly selfReportedField?: string;
}

/** One group of events in a log, with gapless positions from 1. */
export interface Commit<Event> {
  readonly log: string;
  readonly position: number;
  readonly uid: string;
  readonly at: Date;
  readonly events: readonly Event[];
  /** The stored events. */
  readonly encoded: readonly Uint8Array[];
  /** Headers of the trace that its consequences continue; present while traces are recorded. */
  readonly trace?: Readonly<Record<string, string>> | undefined;
}

/** The write side of one category of logs. */
export interface LogWriter<Command, Reply> {
  /**
   * Resolves when the command's events are durable and applied to the states, with the reply of `decide`. Rejects with the Fault of `decide`, with
   * `unavailable` when the store does not answer (the command may still take effect within 5 s, or never), or with `bug` for a command that cannot be
   * stored.
   * @param committed receives the reply as soon as the commit of the command's group is durable, before it is applied to the states; never called if
   * nothing is committed
   */
  submit(log: string, command: Command, committed?: (reply: Reply) => void): Promise<Reply>;
  /**
   * Applies commits ahead of the states, in every log of the category. Runs at start and every second. Waits for a store that does not answer;
   * rejects with its refusal.
   */
  applyCommits(): Promise<void>;
  /** True when no command is waiting or in progress. */
  idle(): boolean;
  close(): Promise<void>;
}
