import {
  decide,
  defaultTags,
  type Device,
  deviceIdOf,
  type DeviceAction,
  type DeviceNotes,
  evolve,
  isPresent,
  isSharedTag,
} from '@tidings/audience';
import type { DocumentAddress, LogDefinition, Note, StateView } from '@tidings/event-store';
import { DeviceEvent } from '@tidings/events/generated/tidings/events/v1/devices';
import { Fault } from '@tidings/kernel';
import { encodeEvent } from './codec.ts';
import type { DeviceLogCommand, DeviceLogReply } from './command.ts';
import { type DeviceDocument, deviceOf, DEVICES, KEYS } from './document.ts';
import type { Sequences } from './sequences.ts';

/** How long a key is remembered (R-ER11). */
export const KEY_LIFETIME_MS = 24 * 3_600_000;

interface UsedKey {
  readonly until: Date;
}

export type DeviceState = Device | UsedKey;

/** What a group needs that no log holds. */
export interface GroupContext {
  /** Numbers for devices that are registered for the first time, by id. */
  readonly seqs: ReadonlyMap<string, number>;
  /** What devices say about themselves, where a decision turns on it, by id. */
  readonly notes: ReadonlyMap<string, DeviceNotes>;
}

export type NotesReader = (ids: readonly string[]) => Promise<ReadonlyMap<string, DeviceNotes>>;

const deviceAt = (id: string): DocumentAddress => ({ collection: DEVICES, id });
const keyAt = (id: string): DocumentAddress => ({ collection: KEYS, id });

const writesOf = (action: DeviceAction) => ('writes' in action ? action.writes : []);

/** True where the person's devices in sister applications have a part in the decision; a new device takes over what they share. */
const concernsSisters = (action: DeviceAction): boolean =>
  action.type === 'register' || writesOf(action).some(({ tag }) => isSharedTag(tag.number));

/** True where a decision turns on what the device said about itself, which states do not hold. */
const turnsOnNotes = (action: DeviceAction): boolean =>
  action.type === 'tokenRejected' ||
  action.type === 'tokenTaken' ||
  writesOf(action).some(({ tag }) => tag.number === defaultTags.lastApplicationOpen.number);

type View = StateView<DeviceState>;

const device = (view: View, id: string): Device | undefined => view.get(deviceAt(id)) as Device | undefined;

function sistersOf(view: View, { identity: { person }, id }: DeviceLogCommand): Device[] {
  return view
    .find(DEVICES, person)
    .filter((found) => found.id !== id)
    .map(({ state }) => state as Device);
}

/** The commands that are the first to register their device, one for each. */
function firstRegistrations(commands: readonly DeviceLogCommand[], view: View): ReadonlyMap<string, DeviceLogCommand> {
  const first = new Map<string, DeviceLogCommand>();
  const erased = new Set<string>();
  for (const command of commands) {
    const { id, action } = command;
    if (action.type === 'erase') erased.add(id);
    if (action.type !== 'register' || first.has(id)) continue;
    if (erased.has(id) || !isPresent(device(view, id))) first.set(id, command);
  }
  return first;
}

async function newSeqs(
  first: ReadonlyMap<string, DeviceLogCommand>,
  sequences: Sequences,
): Promise<Map<string, number>> {
  const seqs = new Map<string, number>();
  for (const [application, commands] of Map.groupBy(first.values(), ({ identity }) => identity.application)) {
    const numbers = await sequences.take(application, commands.length);
    commands.forEach(({ id }, i) => seqs.set(id, numbers[i]!));
  }
  return seqs;
}

/** The notes that the group turns on. A token that the group itself registers again counts as registered, in whatever order. */
async function notesFor(
  commands: readonly DeviceLogCommand[],
  readNotes: NotesReader,
): Promise<ReadonlyMap<string, DeviceNotes>> {
  const ids = commands.filter(({ action }) => turnsOnNotes(action)).map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const notes = new Map(await readNotes(ids));
  for (const { action, id, at } of commands) {
    if (action.type !== 'register' || !action.token) continue;
    const known = notes.get(id);
    notes.set(id, { ...known, tokenAt: Math.max(known?.tokenAt ?? 0, at.getTime()) });
  }
  return notes;
}

const withNotes = (state: Device | undefined, self: DeviceNotes | undefined): Device | undefined =>
  state && self ? { ...state, self } : state;

function isUsed(view: View, { key, at }: DeviceLogCommand): boolean {
  if (key === undefined) return false;
  const used = view.get(keyAt(key)) as UsedKey | undefined;
  return used !== undefined && used.until > at;
}

function keyUsed({ identity, key, at }: DeviceLogCommand, seq: number): DeviceEvent {
  const until = new Date(at.getTime() + KEY_LIFETIME_MS);
  const event = { $case: 'keyUsed', value: { key: key!, until } } as const;
  // Nothing follows this event back to its device, so it names nobody.
  return { stamp: undefined, ...identity, hwid: '', seq, at, previous: 0n, event };
}

/** The number of the commit that a state was read at: documents bring it along. */
const revOf = (state: Device | undefined): number => (state as { readonly rev?: number } | undefined)?.rev ?? 0;

/** The events as the log keeps them: each with the commit that changed its device before. */
const chained = (events: readonly DeviceEvent[], view: View): readonly DeviceEvent[] =>
  events.map((event) => {
    const rev = revOf(device(view, deviceIdOf(event.application, event.person)));
    return rev === 0 ? event : { ...event, previous: BigInt(rev) };
  });

/** True where the device has belonged to its person from the first day on, and to nobody else. */
const isAlwaysOwn = ({ person, owners: [first, second], createdAt }: Device): boolean =>
  second === undefined && first?.user === person && first.from === createdAt;

/** What is stored of an erased device. */
const erasedDocument = ({ account, app, person, seq, status }: Device): Record<string, unknown> => ({
  ...{ account, app, person, seq, status },
});

/** Every field by name: a state carries the id and number of the document that it was read from. */
const deviceDocument = (state: Device): Record<string, unknown> => ({
  account: state.account,
  app: state.app,
  person: state.person,
  seq: state.seq,
  status: state.status,
  hwid: state.hwid,
  platform: state.platform,
  token: state.token,
  th: state.th,
  ta: state.ta,
  user: state.user === state.person ? undefined : state.user,
  userId: state.userId,
  lang: state.lang,
  tz: state.tz,
  alerts: state.alerts,
  cg: state.cg,
  tags: state.tags,
  idfa: state.idfa,
  publicKey: state.publicKey,
  authToken: state.authToken,
  fcmToken: state.fcmToken,
  fcmPushSet: state.fcmPushSet,
  startToken: state.startToken,
  activities: state.activities,
  owners: isAlwaysOwn(state) ? undefined : state.owners,
  createdAt: state.createdAt,
});

/** Devices and the Idempotency-Keys of what happened to them, in 16 logs by person (architecture 4). */
export const devicesLog = ({
  sequences,
  readNotes,
}: {
  readonly sequences: Sequences;
  readonly readNotes: NotesReader;
}): LogDefinition<DeviceLogCommand, DeviceEvent, DeviceState, DeviceLogReply, GroupContext> => ({
  category: 'devices',
  lookups: { [DEVICES]: 'person' },
  notesField: 'self',

  needs({ id, key, identity, action }) {
    const keys = key === undefined ? [] : [keyAt(key)];
    if (!concernsSisters(action)) return { ids: [deviceAt(id), ...keys] };
    return { ids: keys, lookups: [{ collection: DEVICES, field: 'person', value: identity.person, ids: [id] }] };
  },

  async prepare(commands, view) {
    const first = firstRegistrations(commands, view);
    const [seqs, notes] = await Promise.all([newSeqs(first, sequences), notesFor(commands, readNotes)]);
    return { seqs, notes };
  },

  decide(command, view, { seqs, notes }) {
    const { identity, id, action, at } = command;
    if (isUsed(view, command)) return { events: [], reply: {} };
    const own = withNotes(device(view, id), notes.get(id));
    const sisters = concernsSisters(action) ? sistersOf(view, command) : [];
    const decision = decide(identity, { own, sisters }, action, seqs.get(id), at);
    const said = chained(decision.events, view);
    const events = command.key === undefined ? said : [...said, keyUsed(command, own?.seq ?? 0)];
    const reply = decision.keptSince === undefined ? {} : { keptSince: decision.keptSince };
    if (decision.notes.length === 0) return { events, reply };
    return {
      events,
      reply,
      notes: decision.notes.map(({ id: noted, ...note }): Note => ({ address: deviceAt(noted), ...note })),
    };
  },

  addresses({ application, person, event }) {
    return [event?.$case === 'keyUsed' ? keyAt(event.value.key) : deviceAt(deviceIdOf(application, person))];
  },

  evolve(state, event, { collection }) {
    if (collection === DEVICES) return evolve(state as Device | undefined, event);
    if (event.event?.$case !== 'keyUsed') throw Fault.bug(`${event.event?.$case} is no event of a key`);
    return { until: event.event.value.until! };
  },

  encode: encodeEvent,
  decode: (bytes) => DeviceEvent.decode(bytes),
  toDocument(state) {
    if ('until' in state) return { until: state.until };
    return isPresent(state) ? deviceDocument(state) : erasedDocument(state);
  },
  fromDocument: (document, { collection }) =>
    collection === DEVICES
      ? deviceOf(document as unknown as DeviceDocument)
      : { until: (document as unknown as UsedKey).until },
});
