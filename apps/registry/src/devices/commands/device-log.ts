import {
  defaultTags,
  type Device,
  deviceIdOf,
  type DeviceAction,
  type SelfReportedState,
  evolve,
  isPresent,
  lacksAddress,
  newPlatformIn,
} from '@tidings/audience';
import { fieldsOf, type LogDefinition, type Needs } from '@tidings/event-store';
import { DeviceEvent } from '@tidings/events/generated/tidings/events/v1/devices';
import { Fault, Platform } from '@tidings/kernel';
import { transientAsFault } from '@tidings/mongo';
import { addressId, type DeviceDocument, DEVICES } from '@tidings/registry-store';
import type { BlacklistReader } from '../../addresses/blacklist.ts';
import { encodeEvent } from '../storage/event-codec.ts';
import type { DeviceLogBatch, DeviceLogCommand, DeviceLogReply } from './device-log-command.ts';
import {
  concernsSiblings,
  decideBatch,
  decideCommand,
  device,
  deviceAt,
  type DeviceState,
  type GroupContext,
  keyAt,
  type UsedKey,
  type View,
  writesOf,
} from './device-decisions.ts';
import type { Sequences } from '../storage/sequences.ts';
import { KEYS } from '../storage/key-collection.ts';
import { deviceOf } from '../storage/stored-device.ts';

export type SelfReportedReader = (ids: readonly string[]) => Promise<ReadonlyMap<string, SelfReportedState>>;

export type DeviceLogInput = DeviceLogCommand | DeviceLogBatch;

const commandsIn = (input: DeviceLogInput): readonly DeviceLogCommand[] =>
  'items' in input ? input.items.map(({ command }) => command) : [input];

const dependsOnSelfReported = (action: DeviceAction): boolean =>
  action.type === 'tokenRejected' ||
  action.type === 'tokenReplaced' ||
  action.type === 'tokenTaken' ||
  writesOf(action).some(({ tag }) => tag.number === defaultTags.lastApplicationOpen.number);

function firstRegistrations(commands: readonly DeviceLogCommand[], view: View): ReadonlyMap<string, DeviceLogCommand> {
  const first = new Map<string, DeviceLogCommand>();
  const erased = new Set<string>();
  for (const command of commands) {
    const { id, action } = command;
    if (action.type === 'erase') erased.add(id);
    if (newPlatformIn(action) === undefined || first.has(id)) continue;
    if (action.type === 'register' && lacksAddress(action)) continue;
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

/** A token that the group itself registers counts as registered again. */
async function selfReportsFor(
  commands: readonly DeviceLogCommand[],
  readSelfReported: SelfReportedReader,
): Promise<ReadonlyMap<string, SelfReportedState>> {
  const ids = commands.filter(({ action }) => dependsOnSelfReported(action)).map(({ id }) => id);
  if (ids.length === 0) return new Map();
  const selfReports = new Map(await readSelfReported(ids));
  for (const { action, id, at } of commands) {
    if (action.type !== 'register' || !action.token) continue;
    const selfReport = selfReports.get(id);
    selfReports.set(id, { ...selfReport, tokenAt: Math.max(selfReport?.tokenAt ?? 0, at.getTime()) });
  }
  return selfReports;
}

function needsOf({ id, key, identity, action }: DeviceLogCommand): Needs {
  const keys = key === undefined ? [] : [keyAt(key)];
  if (!concernsSiblings(action)) return { ids: [deviceAt(id), ...keys] };
  return { ids: keys, lookups: [{ collection: DEVICES, field: 'hwidHash', value: identity.hwidHash, ids: [id] }] };
}

function needsOfBatch({ key, items }: DeviceLogBatch): Needs {
  const needs = items.map(({ command }) => needsOf(command));
  return {
    ids: [keyAt(key), ...needs.flatMap(({ ids }) => ids ?? [])],
    lookups: needs.flatMap(({ lookups }) => lookups ?? []),
  };
}

function keyAfter({ event }: DeviceEvent): UsedKey {
  switch (event?.$case) {
    case 'keyUsed':
      return { until: event.value.until! };
    case 'batchApplied': {
      const { until, notFound, invalidTags } = event.value;
      return { until: until!, outcome: { notFound, invalidTags } };
    }
    default:
      throw Fault.bug(`${event?.$case} is not an event of a key`);
  }
}

const isAlwaysOwn = ({ hwidHash, owners: [first, second], createdAt }: Device): boolean =>
  second === undefined && first?.user === hwidHash && first.from === createdAt;

const erasedDocument = ({ account, app, hwidHash, seq, status }: Device): Record<string, unknown> => ({
  account,
  app,
  hwidHash,
  seq,
  status,
});

/** Lists every field: a state also carries its document's id and number. */
const deviceDocument = (state: Device): Record<string, unknown> => ({
  account: state.account,
  app: state.app,
  hwidHash: state.hwidHash,
  seq: state.seq,
  status: state.status,
  hwid: state.hwid,
  platform: state.platform,
  token: state.token,
  th: state.th,
  ta: state.ta,
  user: state.user === state.hwidHash ? undefined : state.user,
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
  adoptByToken: state.adoptByToken,
  startToken: state.startToken,
  activities: state.activities,
  owners: isAlwaysOwn(state) ? undefined : state.owners,
  createdAt: state.createdAt,
});

async function blacklistedAmong(
  commands: readonly DeviceLogCommand[],
  readBlacklist: BlacklistReader,
): Promise<ReadonlySet<DeviceLogCommand>> {
  const addresses = new Map<DeviceLogCommand, readonly string[]>();
  for (const command of commands) {
    const { identity, action } = command;
    if (action.type !== 'register' || action.platform !== Platform.Email || !action.token) continue;
    const { hash, formerHashes = [] } = action.token;
    addresses.set(
      command,
      [hash, ...formerHashes].map((each) => addressId(identity.account, each)),
    );
  }
  const listed = await readBlacklist([...addresses.values()].flat());
  return new Set([...addresses].flatMap(([command, ids]) => (ids.some((id) => listed.has(id)) ? [command] : [])));
}

export const devicesLog = ({
  sequences,
  readSelfReported,
  readBlacklist,
}: {
  readonly sequences: Sequences;
  readonly readSelfReported: SelfReportedReader;
  readonly readBlacklist: BlacklistReader;
}): LogDefinition<DeviceLogInput, DeviceEvent, DeviceState, DeviceLogReply, GroupContext> => ({
  category: 'devices',
  lookups: { [DEVICES]: 'hwidHash' },
  selfReportedField: 'self',

  needs: (input) => ('items' in input ? needsOfBatch(input) : needsOf(input)),

  async prepare(inputs, view) {
    const commands = inputs.flatMap(commandsIn);
    // An unavailable store must not refuse the group permanently.
    return transientAsFault(async () => {
      const blacklisted = await blacklistedAmong(commands, readBlacklist);
      const accepted = blacklisted.size === 0 ? commands : commands.filter((command) => !blacklisted.has(command));
      const first = firstRegistrations(accepted, view);
      const [seqs, selfReports] = await Promise.all([
        newSeqs(first, sequences),
        selfReportsFor(commands, readSelfReported),
      ]);
      return { seqs, selfReports, blacklisted };
    });
  },

  decide: (input, view, context) =>
    'items' in input ? decideBatch(input, view, context) : decideCommand(input, view, context),

  addresses({ application, hwidHash, event }) {
    const isOfKey = event?.$case === 'keyUsed' || event?.$case === 'batchApplied';
    return [isOfKey ? keyAt(event.value.key) : deviceAt(deviceIdOf(application, hwidHash))];
  },

  evolve: (state, event, { collection }) =>
    collection === DEVICES ? evolve(state as Device | undefined, event) : keyAfter(event),

  encode: encodeEvent,
  decode: (bytes) => DeviceEvent.decode(bytes),
  isKnown: ({ event }) => event !== undefined,
  named: ({ application, hwidHash }) => [deviceAt(deviceIdOf(application, hwidHash))],
  toDocument(state) {
    if ('until' in state) return { until: state.until, outcome: state.outcome };
    return isPresent(state) ? deviceDocument(state) : erasedDocument(state);
  },
  fields: {
    [DEVICES]: fieldsOf<Omit<DeviceDocument, 'self'>>({
      account: true,
      app: true,
      hwidHash: true,
      seq: true,
      status: true,
      hwid: true,
      platform: true,
      token: true,
      th: true,
      ta: true,
      user: true,
      userId: true,
      lang: true,
      tz: true,
      alerts: true,
      cg: true,
      tags: true,
      idfa: true,
      publicKey: true,
      authToken: true,
      fcmToken: true,
      fcmPushSet: true,
      adoptByToken: true,
      startToken: true,
      activities: true,
      owners: true,
      createdAt: true,
    }),
    [KEYS]: fieldsOf<UsedKey>({ until: true, outcome: true }),
  },
  clears: (state) => !('until' in state) && !isPresent(state),
  fromDocument: (document, { collection }) =>
    collection === DEVICES ? deviceOf(document as unknown as DeviceDocument) : (document as unknown as UsedKey),
});
