import { Fault } from '@tidings/kernel';
import { fieldsOf } from './owned-fields.ts';
import type { Decision, DocumentAddress, LogDefinition } from './event-log-port.ts';

export interface Thing {
  readonly count: number;
  readonly keys: readonly string[];
  readonly name?: string;
  readonly hwidHash?: string;
  readonly value?: unknown;
}

export interface Owner {
  readonly things: readonly string[];
}

export type ThingCommand =
  /** `blind` does not read the keys, so that double decisions show. */
  | { readonly kind: 'add'; readonly id: string; readonly key: string; readonly by: number; readonly blind?: boolean }
  | { readonly kind: 'name'; readonly id: string; readonly name: string | undefined }
  | { readonly kind: 'put'; readonly id: string; readonly value: unknown }
  | { readonly kind: 'give'; readonly id: string; readonly owner: string }
  | { readonly kind: 'join'; readonly id: string; readonly hwidHash: string }
  | { readonly kind: 'refuse' | 'explode' | 'look'; readonly id: string }
  | {
      readonly kind: 'selfReport';
      readonly clear?: true;
      readonly id: string;
      readonly set?: Record<string, unknown>;
      readonly max?: Record<string, number | Date>;
      readonly add?: Record<string, number>;
    };

export type ThingEvent =
  | { readonly kind: 'added'; readonly id: string; readonly key: string; readonly by: number }
  | { readonly kind: 'named'; readonly id: string; readonly name: string | undefined }
  | { readonly kind: 'valued'; readonly id: string; readonly value: unknown }
  | { readonly kind: 'given'; readonly id: string; readonly owner: string }
  | { readonly kind: 'joined'; readonly id: string; readonly hwidHash: string };

export interface ThingReply {
  readonly count: number;
  readonly repeated?: boolean;
  readonly others?: readonly string[];
}

type State = { readonly kind: 'thing'; readonly thing: Thing } | { readonly kind: 'owner'; readonly owner: Owner };

export const thingAt = (id: string): DocumentAddress => ({ collection: 'things', id });
export const ownerAt = (id: string): DocumentAddress => ({ collection: 'owners', id });

const nothing: Thing = { count: 0, keys: [] };
const thingOf = (state: State | undefined): Thing => (state?.kind === 'thing' ? state.thing : nothing);
const KEYS_KEPT = 500;

function evolveThing(thing: Thing, event: ThingEvent): Thing {
  switch (event.kind) {
    case 'added':
      return { ...thing, count: thing.count + event.by, keys: [...thing.keys, event.key].slice(-KEYS_KEPT) };
    case 'named': {
      const { name: _, ...rest } = thing;
      return event.name === undefined ? rest : { ...rest, name: event.name };
    }
    case 'valued':
      return { ...thing, value: event.value };
    case 'joined':
      return { ...thing, hwidHash: event.hwidHash };
    case 'given':
      return thing;
  }
}

function withoutEvents(kind: 'look' | 'refuse' | 'explode', reply: ThingReply): Decision<ThingEvent, ThingReply> {
  if (kind === 'refuse') throw Fault.conflict('no');
  if (kind === 'explode') throw new TypeError('a defect');
  return { events: [], reply };
}

const kinds: ReadonlySet<string> = new Set<ThingEvent['kind']>(['added', 'named', 'valued', 'given', 'joined']);

export const things: LogDefinition<ThingCommand, ThingEvent, State, ThingReply> = {
  category: 'things',
  lookups: { things: 'hwidHash' },
  selfReportedField: 'self',
  needs(command) {
    const lookups =
      command.kind === 'join' ? [{ collection: 'things', field: 'hwidHash', value: command.hwidHash }] : [];
    return { ids: [thingAt(command.id)], lookups };
  },
  decide(command, view) {
    const { id } = command;
    const thing = thingOf(view.get(thingAt(id)));
    const reply = { count: thing.count };
    switch (command.kind) {
      case 'add':
        if (!command.blind && thing.keys.includes(command.key))
          return { events: [], reply: { ...reply, repeated: true } };
        return {
          events: [{ kind: 'added', id, key: command.key, by: command.by }],
          reply: { count: thing.count + command.by },
        };
      case 'name':
        return { events: [{ kind: 'named', id, name: command.name }], reply };
      case 'put':
        return { events: [{ kind: 'valued', id, value: command.value }], reply };
      case 'give':
        return { events: [{ kind: 'given', id, owner: command.owner }], reply };
      case 'join': {
        const others = view.find('things', command.hwidHash).map((found) => found.id);
        return { events: [{ kind: 'joined', id, hwidHash: command.hwidHash }], reply: { ...reply, others } };
      }
      case 'selfReport': {
        const { clear, set, max, add } = command;
        const changes = { ...(clear && { clear }), ...(set && { set }), ...(max && { max }), ...(add && { add }) };
        const selfReport = { address: thingAt(id), ...changes };
        return { events: [], reply, selfReports: [selfReport] };
      }
      default:
        return withoutEvents(command.kind, reply);
    }
  },
  addresses: (event) => (event.kind === 'given' ? [thingAt(event.id), ownerAt(event.owner)] : [thingAt(event.id)]),
  evolve(state, event, { collection }) {
    if (collection === 'things') return { kind: 'thing', thing: evolveThing(thingOf(state), event) };
    const existing = state?.kind === 'owner' ? state.owner.things : [];
    return { kind: 'owner', owner: { things: [...existing, event.id] } };
  },
  encode: (event) => Buffer.from(JSON.stringify(event)),
  isKnown: ({ kind }) => kinds.has(kind),
  named: (event) => [thingAt(event.id)],
  decode: (bytes) => JSON.parse(Buffer.from(bytes).toString()) as ThingEvent,
  toDocument: (state) => (state.kind === 'thing' ? { ...state.thing } : { ...state.owner }),
  fields: {
    things: fieldsOf<Thing>({ count: true, keys: true, name: true, hwidHash: true, value: true }),
    owners: fieldsOf<Owner>({ things: true }),
  },
  fromDocument: (document, { collection }) =>
    collection === 'things'
      ? { kind: 'thing', thing: document as unknown as Thing }
      : { kind: 'owner', owner: document as unknown as Owner },
};
