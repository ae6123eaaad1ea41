import type { LogDefinition } from './event-log-port.ts';
import { type Thing, thingAt, type ThingCommand, type ThingEvent, type ThingReply, things } from './things.features.ts';

export type NewerCommand = ThingCommand | { readonly kind: 'paint'; readonly id: string; readonly colour: string };
type NewerEvent = ThingEvent | { readonly kind: 'painted'; readonly id: string; readonly colour: string };
type State = NonNullable<ReturnType<typeof things.fromDocument>> | { readonly kind: 'palette'; readonly count: number };

type Today = LogDefinition<NewerCommand, NewerEvent, State, ThingReply>;
const today = things as unknown as Today;

export const paletteAt = (colour: string) => ({ collection: 'palettes', id: colour });

const isPainted = (event: NewerEvent) => event.kind === 'painted';

export const newerThings: Today = {
  ...today,
  needs: (command) =>
    command.kind === 'paint' ? { ids: [thingAt(command.id), paletteAt(command.colour)] } : today.needs(command),
  decide: (command, view, context) =>
    command.kind === 'paint'
      ? { events: [{ kind: 'painted', id: command.id, colour: command.colour }], reply: { count: 0 } }
      : today.decide(command, view, context),
  addresses: (event) =>
    isPainted(event) ? [thingAt(event.id), paletteAt((event as { colour: string }).colour)] : today.addresses(event),
  evolve(state, event, address) {
    if (event.kind !== 'painted') return today.evolve(state, event, address);
    if (address.collection === 'palettes')
      return { kind: 'palette', count: (state?.kind === 'palette' ? state.count : 0) + 1 };
    const thing: Thing = state?.kind === 'thing' ? state.thing : { count: 0, keys: [] };
    return { kind: 'thing', thing: { ...thing, colour: event.colour } as Thing };
  },
  isKnown: (event) => isPainted(event) || today.isKnown(event),
  fields: { ...today.fields, things: [...today.fields['things']!, 'colour'], palettes: ['count'] },
  toDocument: (state, address) =>
    state.kind === 'palette' ? { count: state.count } : today.toDocument(state, address),
  fromDocument: (document, address) =>
    address.collection === 'palettes'
      ? { kind: 'palette', count: document['count'] as number }
      : today.fromDocument(document, address),
};
