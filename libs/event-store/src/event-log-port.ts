export interface DocumentAddress {
  readonly collection: string;
  readonly id: string;
}

/** Reads memory only: a group's needs are loaded before it is decided. */
export interface StateView<State> {
  get(address: DocumentAddress): State | undefined;
  find(collection: string, key: string): readonly { readonly id: string; readonly state: State }[];
}

export interface SelfReport {
  readonly address: DocumentAddress;
  /** Removes all earlier self-reports. */
  readonly clear?: true;
  /** Dotted paths below the `selfReportedField`. */
  readonly set?: Readonly<Record<string, unknown>>;
  /** Fields that only increase. */
  readonly max?: Readonly<Record<string, number | Date>>;
  /** Added again where a write without an answer is repeated. */
  readonly add?: Readonly<Record<string, number>>;
}

export interface Decision<Event, Reply> {
  readonly events: readonly Event[];
  readonly reply: Reply;
  /** Not replayable; written after the commit, if any. */
  readonly selfReports?: readonly SelfReport[];
}

export interface Lookup {
  readonly collection: string;
  readonly field: string;
  readonly value: string;
  /** Ids that the lookup also finds: they need no separate query. */
  readonly ids?: readonly string[];
}

export interface Needs {
  readonly ids?: readonly DocumentAddress[];
  readonly lookups?: readonly Lookup[];
  /** Presumed absent and not read; an existing document is replaced. */
  readonly created?: readonly DocumentAddress[];
}

export type FurtherNeeds = Required<Omit<Needs, 'created'>>;

export interface LogDefinition<Command, Event, State, Reply, Context = void> {
  /** Prefix of log names: `devices` for `devices-0`. */
  readonly category: string;
  needs(command: Command): Needs;
  /** For impure input of `decide`, such as blocks of numbers; repeated after a conflict. */
  prepare?(commands: readonly Command[], view: StateView<State>): Promise<Context>;
  /** Pure. A thrown Fault refuses only this command. */
  decide(command: Command, view: StateView<State>, context: Context): Decision<Event, Reply>;
  addresses(event: Event): readonly DocumentAddress[];
  evolve(state: State | undefined, event: Event, address: DocumentAddress): State;
  encode(event: Event): Uint8Array;
  decode(bytes: Uint8Array): Event;
  /** False for a newer version's event kind: its documents are blocked (ADR 27). */
  isKnown(event: Event): boolean;
  /** Documents that every version finds in the event; others are stored with the commit. @default none */
  named?(event: Event): readonly DocumentAddress[];
  /** Without `_id` and `rev`. Must be storable on MongoDB 4.0. */
  toDocument(state: State, address: DocumentAddress): Record<string, unknown>;
  /** Fields that `toDocument` writes; others belong to newer versions and are preserved. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  /** True for erased data, which keeps no field of any version. @default false */
  clears?(state: State, address: DocumentAddress): boolean;
  fromDocument(document: Record<string, unknown>, address: DocumentAddress): State;
  /** Fields that `StateView.find` looks up, per collection. */
  readonly lookups?: Readonly<Record<string, string>>;
  readonly selfReportedField?: string;
}

/** Positions are gapless, from 1. */
export interface Commit<Event> {
  readonly log: string;
  readonly position: number;
  readonly uid: string;
  readonly at: Date;
  readonly events: readonly Event[];
  readonly encoded: readonly Uint8Array[];
  readonly trace?: Readonly<Record<string, string>> | undefined;
}

export interface LogWriter<Command, Reply> {
  /**
   * Resolves once durable and applied. Rejects with the Fault of `decide`, `unavailable` (may take effect within 5 s) or `bug`. @param committed
   * receives the reply once the commit is durable
   */
  submit(log: string, command: Command, committed?: (reply: Reply) => void): Promise<Reply>;
  /** Applies commits that a dead writer left; waits for a silent store. */
  applyCommits(): Promise<void>;
  idle(): boolean;
  close(): Promise<void>;
}
