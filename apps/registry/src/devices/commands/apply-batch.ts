import { DENIED, deviceIdOf, deviceLogOf, type ListOperator, hwidHashOf, wrongValue } from '@tidings/audience';
import { Fault } from '@tidings/kernel';
import { TAG_MAX_AGE_MS, type TagSet } from '@tidings/registry-store';
import {
  type BatchEntry,
  type DeviceBatch,
  type DeviceCommand,
  type Devices,
  type EntryOutcome,
  EntryStatus,
  ListOperator as WireListOperator,
} from '@tidings/rpc';
import { actionOf, hwidOf, lenientWrites, type Reading } from './action-of-command.ts';
import type { IdentityKeys } from '../../identities/identity-keys.ts';
import { type DevicesDeps, TAGS_TOO_LARGE } from './apply.ts';
import { BLACKLISTED } from './device-decisions.ts';
import type { BatchItem, BatchOutcome } from './device-log-command.ts';

const listOperators: Readonly<Record<number, ListOperator>> = {
  [WireListOperator.LIST_OPERATOR_APPEND]: 'append',
  [WireListOperator.LIST_OPERATOR_REMOVE]: 'remove',
};

interface Entry {
  readonly entry: BatchEntry;
  readonly refused: Map<string, string>;
  readonly item: BatchItem;
}

interface Round {
  readonly batch: DeviceBatch;
  readonly set: TagSet;
  readonly at: Date;
}

const tagsIn = ({ command }: BatchEntry): Readonly<Record<string, unknown>> =>
  (command?.$case === 'register' || command?.$case === 'setTags' ? command.value.tags : undefined) ?? {};

const tagNamesIn = ({ entries }: DeviceBatch): Set<string> =>
  new Set(entries.flatMap((entry) => Object.keys(tagsIn(entry))));

const statusOf = (tags: number, refused: number): EntryStatus =>
  tags > 0 && refused === tags ? EntryStatus.ENTRY_STATUS_FAILED : EntryStatus.ENTRY_STATUS_DONE;

const failed = ({ number }: BatchEntry, reason: string): EntryOutcome => ({
  number,
  status: EntryStatus.ENTRY_STATUS_FAILED,
  refusedTags: {},
  reason,
});

/** A registration is lost only if its address is blacklisted (R-E5). */
const lostOutcome = (entry: BatchEntry): EntryOutcome =>
  entry.command?.$case === 'register'
    ? failed(entry, BLACKLISTED)
    : { number: entry.number, status: EntryStatus.ENTRY_STATUS_NOT_FOUND, refusedTags: {} };

function outcomesOf(entries: readonly Entry[], { notFound, invalidTags }: BatchOutcome, set: TagSet): EntryOutcome[] {
  const lost = new Set(notFound);
  const invalidTagsOf = new Map(invalidTags.map(({ entry, tags }) => [entry, tags]));
  return entries.flatMap(({ entry, refused }): EntryOutcome[] => {
    const { number } = entry;
    if (lost.has(number)) return [lostOutcome(entry)];
    for (const tagNumber of invalidTagsOf.get(number) ?? []) {
      const tag = set.numbered(tagNumber);
      if (tag) refused.set(tag.name, wrongValue(tag.type));
    }
    const count = refused.size;
    if (count === 0) return [];
    const isLenient = entry.command?.$case === 'setTags';
    const status = isLenient ? statusOf(Object.keys(tagsIn(entry)).length, count) : EntryStatus.ENTRY_STATUS_DONE;
    return [{ number, status, refusedTags: Object.fromEntries(refused) }];
  });
}

function read(entry: BatchEntry, { batch: { account, application }, set, at }: Round, keys: IdentityKeys): Entry {
  const { number, command } = entry;
  const device: DeviceCommand = { account, application, hwid: entry.hwid, userId: '', idempotencyKey: '', command };
  const hwid = hwidOf(device);
  const hwidHash = hwidHashOf(keys.device, account, hwid);
  const listOperator = listOperators[entry.listOperator] ?? 'set';
  const refused = new Map<string, string>();
  const reading: Reading = { account, hwid, tags: set, keys, listOperator, refusedTags: refused };
  const action =
    command?.$case === 'setTags'
      ? ({ type: 'setTags', writes: lenientWrites(tagsIn(entry), reading), lenient: true } as const)
      : actionOf(device, reading, hwidHash);
  const identity = { account, application, hwidHash, hwid };
  return { entry, refused, item: { number, command: { identity, id: deviceIdOf(application, hwidHash), action, at } } };
}

/** One commit holds a batch's effects and its completion. */
export function batchRpc({ clock, log, keys, owners, tags, logs }: DevicesDeps): Pick<Devices, 'applyBatch'> {
  /** Halves what is too large together, until only the faulty entry fails. */
  const submit = async (
    name: string,
    key: string,
    entries: readonly Entry[],
    round: Round,
  ): Promise<EntryOutcome[]> => {
    const { account, application } = round.batch;
    const items = entries.map(({ item }) => item);
    try {
      const { outcome } = await logs.submit(name, { account, application, key, at: round.at, items });
      if (!outcome) throw Fault.bug('a batch without a reply');
      return outcomesOf(entries, outcome, round.set);
    } catch (thrown) {
      const fault = Fault.from(thrown);
      if (fault.kind !== 'bug' && fault.kind !== 'tooLarge') throw fault;
      if (entries.length === 1) {
        if (fault.kind === 'bug') log.error({ err: fault }, 'entry of a batch failed');
        return [failed(entries[0]!.entry, fault.kind === 'bug' ? fault.message : TAGS_TOO_LARGE)];
      }
      const half = Math.ceil(entries.length / 2);
      return [
        ...(await submit(name, `${key}.0`, entries.slice(0, half), round)),
        ...(await submit(name, `${key}.1`, entries.slice(half), round)),
      ];
    }
  };

  return {
    async applyBatch(batch) {
      const { account, application, key } = batch;
      const isExact = batch.entries.some(({ command }) => command?.$case === 'setTags');
      const [set] = await Promise.all([
        tags.of(account, tagNamesIn(batch), isExact ? 0 : TAG_MAX_AGE_MS),
        owners.learn([application]),
      ]);
      if (!owners.owns(account, application)) throw Fault.argument(DENIED);
      const round: Round = { batch, set, at: new Date(clock.now()) };
      const outcomes: EntryOutcome[] = [];
      const byLog = new Map<string, Entry[]>();
      for (const entry of batch.entries) {
        try {
          const one = read(entry, round, keys);
          const name = deviceLogOf(one.item.command.identity.hwidHash);
          const others = byLog.get(name);
          if (others) others.push(one);
          else byLog.set(name, [one]);
        } catch (thrown) {
          if (!(thrown instanceof Fault) || thrown.kind !== 'argument') throw thrown;
          outcomes.push(failed(entry, thrown.message));
        }
      }
      const applied = await Promise.all(
        [...byLog].map(([name, entries]) => submit(name, `${key}/${name}`, entries, round)),
      );
      return { outcomes: [...outcomes, ...applied.flat()] };
    },
  };
}
