import { Fault } from '@tidings/kernel';
import { type LoadedDocument, type LoadedDocuments, valuesOf } from './documents.ts';
import { getOrAdd } from './get-or-add.ts';
import { checkSelfReport } from './self-reports.ts';
import type { OwnedFields } from './owned-fields.ts';
import type {
  Decision,
  DocumentAddress,
  FurtherNeeds,
  LogDefinition,
  SelfReport,
  StateView,
} from './event-log-port.ts';
import { Oversized, Unstorable } from './storable.ts';
import type { EventDocuments } from './log-store.ts';

export type Outcome<Reply> =
  | { readonly reply: Reply; readonly changed: ReadonlyMap<Pick<LoadedDocument<unknown>, 'address'>, unknown> }
  | { readonly fault: Fault };

export interface ChangedState<State> {
  readonly state: State;
  document?: Record<string, unknown>;
  clears: boolean;
  bytes: number;
}

export interface DecidedGroup<Event, State, Reply> {
  readonly outcomes: readonly Outcome<Reply>[];
  readonly events: readonly Event[];
  readonly encoded: readonly Uint8Array[];
  readonly documents: readonly EventDocuments[];
  readonly changed: ReadonlyMap<LoadedDocument<State>, ChangedState<State>>;
  readonly selfReports: readonly SelfReport[];
}

export interface DecidingLimits {
  readonly groupBytes: number;
  readonly commandBytes: number;
  readonly owned: OwnedFields;
  check(address: DocumentAddress, document: Record<string, unknown>): number;
}

type Definition<Command, Event, State, Reply, Context> = LogDefinition<Command, Event, State, Reply, Context>;

/** A command that throws or is unstorable is refused alone. */
export function decideGroup<Command, Event, State, Reply, Context>(
  definition: Definition<Command, Event, State, Reply, Context>,
  commands: readonly Command[],
  loaded: LoadedDocuments<State>,
  context: Context,
  limits: DecidingLimits,
): DecidedGroup<Event, State, Reply> | FurtherNeeds {
  const run = (strict: boolean): GroupInMemory<Command, Event, State, Reply, Context> => {
    const group = new GroupInMemory(definition, loaded, limits, strict);
    for (const command of commands) if (!group.take(command, context)) break;
    return group;
  };
  // States are checked once, at the end; per command only after a failure.
  const group = run(false);
  if (group.missing() ?? group.isStorable()) return group.missing() ?? group;
  const strict = run(true);
  return strict.missing() ?? strict;
}

export async function prepareGroup<Command, Event, State, Reply, Context>(
  definition: Definition<Command, Event, State, Reply, Context>,
  commands: readonly Command[],
  loaded: LoadedDocuments<State>,
  limits: DecidingLimits,
): Promise<{ readonly context: Context } | FurtherNeeds> {
  if (!definition.prepare) return { context: undefined as Context };
  const view = new GroupInMemory(definition, loaded, limits, false);
  try {
    return { context: await definition.prepare(commands, view) };
  } catch (thrown) {
    if (thrown instanceof NotLoaded) return view.missing()!;
    throw thrown;
  }
}

class NotLoaded extends Error {}

class GroupInMemory<Command, Event, State, Reply, Context>
  implements DecidedGroup<Event, State, Reply>, StateView<State>
{
  readonly outcomes: Outcome<Reply>[] = [];
  readonly events: Event[] = [];
  readonly encoded: Uint8Array[] = [];
  readonly documents: EventDocuments[] = [];
  readonly selfReports: SelfReport[] = [];
  readonly changed = new Map<LoadedDocument<State>, ChangedState<State>>();
  readonly #definition: Definition<Command, Event, State, Reply, Context>;
  readonly #loaded: LoadedDocuments<State>;
  readonly #limits: DecidingLimits;
  readonly #strict: boolean;
  readonly #lookups = new Map<string, Map<string, Set<LoadedDocument<State>>>>();
  readonly #missingIds: DocumentAddress[] = [];
  readonly #missingLookups: { collection: string; field: string; value: string }[] = [];
  #bytes = 0;

  constructor(
    definition: Definition<Command, Event, State, Reply, Context>,
    loaded: LoadedDocuments<State>,
    limits: DecidingLimits,
    strict: boolean,
  ) {
    this.#definition = definition;
    this.#loaded = loaded;
    this.#limits = limits;
    this.#strict = strict;
  }

  missing(): FurtherNeeds | undefined {
    if (this.#missingIds.length + this.#missingLookups.length === 0) return undefined;
    return { ids: this.#missingIds, lookups: this.#missingLookups };
  }

  get(address: DocumentAddress): State | undefined {
    const document = this.#document(address);
    const changed = this.changed.get(document);
    return changed ? changed.state : document.state;
  }

  find(collection: string, key: string): { id: string; state: State }[] {
    const field = this.#definition.lookups?.[collection];
    if (field === undefined) throw new Error(`no lookup is defined for ${collection}`);
    const found = this.#loaded.withValue(collection, key);
    if (!found) {
      this.#missingLookups.push({ collection, field, value: key });
      throw new NotLoaded();
    }
    const states: { id: string; state: State }[] = [];
    for (const document of found) {
      if (!this.changed.has(document)) states.push({ id: document.address.id, state: document.state! });
    }
    for (const document of this.#lookups.get(collection)?.get(key) ?? []) {
      states.push({ id: document.address.id, state: this.changed.get(document)!.state });
    }
    return states;
  }

  take(command: Command, context: Context): boolean {
    let attempt: Attempt<Event, State, Reply>;
    try {
      attempt = this.#attempt(command, context);
    } catch (thrown) {
      if (!(thrown instanceof NotLoaded)) this.outcomes.push({ fault: faultOf(thrown) });
      return true;
    }
    if (this.#bytes + attempt.bytes > this.#limits.groupBytes && this.encoded.length > 0) return false;
    this.#keep(attempt);
    return true;
  }

  isStorable(): boolean {
    if (this.#strict) return true;
    try {
      for (const [document, changed] of this.changed) this.#check(document, changed);
      return true;
    } catch {
      return false;
    }
  }

  #attempt(command: Command, context: Context): Attempt<Event, State, Reply> {
    const definition = this.#definition;
    const decision = definition.decide(command, this, context);
    const states = new Map<LoadedDocument<State>, ChangedState<State>>();
    const encoded: Uint8Array[] = [];
    const documents: EventDocuments[] = [];
    let bytes = 0;
    for (const event of decision.events) {
      const code = definition.encode(event);
      if (!(code instanceof Uint8Array)) throw new Unstorable('an event that encodes to no bytes');
      bytes += code.byteLength;
      const addresses = definition.addresses(event);
      this.#apply(event, addresses, states);
      if (!isNaming(definition, event, addresses)) documents.push({ index: encoded.length, addresses });
      encoded.push(code);
    }
    if (bytes > this.#limits.commandBytes) throw new Oversized('events', bytes);
    for (const selfReport of decision.selfReports ?? []) checkSelfReport(selfReport, definition.selfReportedField);
    for (const [document, changed] of states) {
      if (this.#strict || definition.lookups?.[document.address.collection] !== undefined) {
        this.#check(document, changed);
      }
    }
    return { decision, states, encoded, documents, bytes };
  }

  #apply(
    event: Event,
    addresses: readonly DocumentAddress[],
    states: Map<LoadedDocument<State>, ChangedState<State>>,
  ): void {
    for (const address of addresses) {
      const document = this.#loaded.toChange(address) ?? this.#document(address);
      const changed = states.get(document) ?? this.changed.get(document);
      const before = changed ? changed.state : document.state;
      states.set(document, { state: this.#definition.evolve(before, event, address), clears: false, bytes: 0 });
    }
  }

  #document(address: DocumentAddress): LoadedDocument<State> {
    const document = this.#loaded.get(address);
    if (document) return document;
    this.#missingIds.push(address);
    throw new NotLoaded();
  }

  #check(document: LoadedDocument<State>, changed: ChangedState<State>): void {
    if (!changed.document) {
      const { address } = document;
      const fields = this.#limits.owned.among(address.collection, this.#definition.toDocument(changed.state, address));
      changed.bytes = this.#limits.check(address, fields);
      changed.clears = this.#definition.clears?.(changed.state, address) ?? false;
      changed.document = fields;
    }
  }

  #keep({ decision, states, encoded, documents, bytes }: Attempt<Event, State, Reply>): void {
    this.#bytes += bytes;
    for (const { index, addresses } of documents)
      this.documents.push({ index: this.encoded.length + index, addresses });
    for (const event of decision.events) this.events.push(event);
    for (const code of encoded) this.encoded.push(code);
    if (decision.selfReports) this.selfReports.push(...decision.selfReports);
    for (const [document, changed] of states) {
      this.#index(document, changed);
      this.changed.set(document, changed);
    }
    this.outcomes.push({ reply: decision.reply, changed: states });
  }

  #index(document: LoadedDocument<State>, next: ChangedState<State>): void {
    const { collection } = document.address;
    const field = this.#definition.lookups?.[collection];
    if (field === undefined) return;
    const byValue = getOrAdd(this.#lookups, collection, () => new Map());
    for (const value of valuesOf(this.changed.get(document)?.document, field)) byValue.get(value)?.delete(document);
    for (const value of valuesOf(next.document, field)) getOrAdd(byValue, value, () => new Set()).add(document);
  }
}

interface Attempt<Event, State, Reply> {
  readonly decision: Decision<Event, Reply>;
  readonly states: ReadonlyMap<LoadedDocument<State>, ChangedState<State>>;
  readonly encoded: readonly Uint8Array[];
  readonly documents: readonly EventDocuments[];
  readonly bytes: number;
}

function isNaming<Event>(
  definition: Pick<LogDefinition<never, Event, never, never>, 'named'>,
  event: Event,
  addresses: readonly DocumentAddress[],
): boolean {
  const named = definition.named?.(event);
  if (named?.length !== addresses.length) return false;
  return named.every(({ collection, id }, i) => addresses[i]!.id === id && addresses[i]!.collection === collection);
}

function faultOf(thrown: unknown): Fault {
  if (thrown instanceof Oversized) return new Fault('tooLarge', 'Too large to be stored', { cause: thrown });
  return thrown instanceof Unstorable ? Fault.bug(`cannot be stored: ${thrown.message}`, thrown) : Fault.from(thrown);
}
