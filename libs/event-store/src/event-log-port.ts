/** The port of event logs (architecture 4): what an owner of state declares, and what it gets. */

/** Where a state document lives: a collection of the owner's database and its `_id`. */
export interface DocumentAddress {
  readonly collection: string;
  readonly id: string;
}

/** The states that the commands of a group see. Reading is in memory: what a group needs was loaded before it is decided. */
export interface StateView<State> {
  /** The state at this address after the group's earlier commands, or undefined where there is none. */
  get(address: DocumentAddress): State | undefined;
  /** All loaded or newly decided states of `collection` for which the definition's `lookup` gives this key (see {@link LogDefinition.lookups}). */
  find(collection: string, key: string): readonly { readonly id: string; readonly state: State }[];
}

/** A write beside the event log: what a device reports about itself (architecture 4, "Not everything is an event"). */
export interface SelfReport {
  readonly address: DocumentAddress;
  /** Removes all self-reports of the document, before the rest of this one. */
  readonly clear?: true;
  /** Fields set as they are; dotted paths below the definition's `selfReportedField`. */
  readonly set?: Readonly<Record<string, unknown>>;
  /** Fields that only grow. */
  readonly max?: Readonly<Record<string, number | Date>>;
}

export interface Decision<Event, Reply> {
  readonly events: readonly Event[];
  readonly reply: Reply;
  /** Written in the same group, after the commit if there is one; not replayable. */
  readonly selfReports?: readonly SelfReport[];
}

/** All documents of a collection with `field` equal to `value`. */
export interface Lookup {
  readonly collection: string;
  readonly field: string;
  readonly value: string;
  /** Ids that it finds if there are such documents: they need no query of their own. */
  readonly ids?: readonly string[];
}

/** What a command needs before it can be decided. */
export interface Needs {
  /** Documents by `_id`. */
  readonly ids?: readonly DocumentAddress[];
  /** Documents by an indexed field. */
  readonly lookups?: readonly Lookup[];
}

export interface LogDefinition<Command, Event, State, Reply, Context = void> {
  /** Prefix of the log names, e.g. `devices` for `devices-0` to `devices-15`. */
  readonly category: string;
  needs(command: Command): Needs;
  /** Runs once per group before it is decided, for what cannot be decided with paper and pencil (blocks of numbers). Repeated after a conflict. */
  prepare?(commands: readonly Command[], view: StateView<State>): Promise<Context>;
  /** Pure. A thrown Fault refuses this command alone. */
  decide(command: Command, view: StateView<State>, context: Context): Decision<Event, Reply>;
  /** The documents that an event applies to, usually one. */
  addresses(event: Event): readonly DocumentAddress[];
  evolve(state: State | undefined, event: Event, address: DocumentAddress): State;
  encode(event: Event): Uint8Array;
  decode(bytes: Uint8Array): Event;
  /** False for an event of a kind that this version does not have, for a newer one wrote it: its documents stand still (ADR 27). */
  isKnown(event: Event): boolean;
  /**
   * The documents that an event names whatever its kind is. Those of events that apply to others are stored with their commit, so
   * that a version that does not know a kind knows what it applies to. @default none
   */
  named?(event: Event): readonly DocumentAddress[];
  /** A state as a document, without `_id` and `rev`; it replaces every one of `fields`, and no other. Must be storable on MongoDB 4.0. */
  toDocument(state: State, address: DocumentAddress): Record<string, unknown>;
  /** Per collection the top-level fields that this version owns: all that `toDocument` writes. Others are a newer version's, and stay as they are. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  /** True for a state that must leave nothing else in its document, whichever version it belongs to: of what was erased. @default false */
  clears?(state: State, address: DocumentAddress): boolean;
  fromDocument(document: Record<string, unknown>, address: DocumentAddress): State;
  /** Fields whose values `StateView.find` looks up, per collection, e.g. `{ devices: 'hwidHash' }`. */
  readonly lookups?: Readonly<Record<string, string>>;
  /** The sub-document that self-reports write and states leave alone, e.g. `self`. */
  readonly selfReportedField?: string;
}

/** One group of events in a log, numbered without gaps from 1. */
export interface Commit<Event> {
  readonly log: string;
  readonly n: number;
  readonly uid: string;
  readonly at: Date;
  readonly events: readonly Event[];
  /** The events as they are stored. */
  readonly encoded: readonly Uint8Array[];
  /** Headers that tell where its consequences go on with the traces of its commands; while traces are recorded. */
  readonly trace?: Readonly<Record<string, string>> | undefined;
}

/** The write side of one category of logs. */
export interface LogWriter<Command, Reply> {
  /**
   * Resolves when the command's events are durable and applied to the states, with the reply of `decide`. Rejects with the Fault of
   * `decide`, with `unavailable` when the store does not answer (the command may still come into effect within 5 s, or never), or with
   * `bug` for a command that cannot be stored.
   * @param committed hears the reply as soon as a commit with the command's group is durable, before it is applied to the states; never where
   *   nothing was committed
   */
  submit(log: string, command: Command, committed?: (reply: Reply) => void): Promise<Reply>;
  /**
   * Applies what is committed ahead of the states, in every log of the category. Runs at start and every second. Waits for a store that does not
   * answer; rejects with what it refuses.
   */
  applyCommits(): Promise<void>;
  /** True when no command is waiting or under way. */
  idle(): boolean;
  close(): Promise<void>;
}
