import { type DeviceAction, deviceLogOf, inheritedTagsOf, tokenTime, unsubscribesOf } from '@tidings/audience';
import type { LogWriter } from '@tidings/event-store';
import { partialDecoder, topicNames } from '@tidings/events';
import { PartialTokenEvent } from '@tidings/events/generated/tidings/events/v1/partial_device_events';
import { type Clock, Platform } from '@tidings/kernel';
import { transientAsFault } from '@tidings/mongo';
import { type DeviceDocument, deviceIndexes, DEVICES } from '@tidings/registry-store';
import { type Broker, consume, type Incident, type Subscription } from '@tidings/streaming';
import type { Collection, Db } from 'mongodb';
import type { DeviceLogCommand, DeviceLogReply } from '../commands/device-log-command.ts';

export interface ReactionDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly broker: Broker;
  readonly logs: LogWriter<DeviceLogCommand, DeviceLogReply>;
  readonly report: (incident: Incident) => void;
}

export const TOKEN_OWNERS_GROUP = 'registry.token-owners';

/** A quarter of the second within which token rules hold. */
export const LINGER_MS = 250;

async function rivals(
  devices: Collection<DeviceDocument>,
  app: string,
  hashes: readonly string[],
): Promise<DeviceDocument[]> {
  const among = (tokenHashes: readonly string[]) => ({ app, th: { $in: [...tokenHashes] } });
  const holders = await devices
    .aggregate<{ readonly _id: string }>(
      [
        { $match: among(hashes) },
        { $group: { _id: '$th', holders: { $sum: 1 } } },
        { $match: { holders: { $gt: 1 } } },
      ],
      { hint: deviceIndexes.token },
    )
    .toArray();
  const shared = holders.map(({ _id }) => _id);
  return shared.length === 0 ? [] : devices.find(among(shared), { hint: deviceIndexes.token }).toArray();
}

/** Ties break by the greater id, so that all processes agree. */
const newer = (a: DeviceDocument, b: DeviceDocument): DeviceDocument => {
  const [left, right] = [tokenTime(a), tokenTime(b)];
  if (left !== right) return left > right ? a : b;
  return a._id > b._id ? a : b;
};

const submit = (device: DeviceDocument, action: DeviceAction, { logs, clock }: Pick<ReactionDeps, 'logs' | 'clock'>) =>
  logs.submit(deviceLogOf(device.hwidHash), {
    identity: { account: device.account, application: device.app, hwidHash: device.hwidHash, hwid: device.hwid },
    id: device._id,
    action,
    at: new Date(clock.now()),
  });

/** The log may decide differently. */
async function settle(holders: readonly DeviceDocument[], deps: Pick<ReactionDeps, 'logs' | 'clock'>): Promise<void> {
  const winner = holders.reduce(newer);
  const losers = holders.filter((holder) => holder !== winner);
  const { platform } = winner;
  const token = winner.token!;
  const writes = platform === Platform.Email ? unsubscribesOf(losers) : [];
  // First: a repeat no longer finds losers that have given up the address.
  if (writes.length > 0) await submit(winner, { type: 'addressTaken', token, writes }, deps);
  const inherited = inheritedTagsOf(losers);
  if (inherited.length > 0) await submit(winner, { type: 'tagsInherited', platform, token, writes: inherited }, deps);
  const taken: DeviceAction = { type: 'tokenTaken', platform, token, at: tokenTime(winner) };
  const replies = await Promise.all(losers.map((loser) => submit(loser, taken, deps)));
  // Registered again since it was read.
  const kept = losers.flatMap((loser, i) => {
    const since = replies[i]!.keptSince;
    return since === undefined ? [] : [{ ...loser, ta: since }];
  });
  if (kept.length > 0) await settle([winner, ...kept], deps);
}

/** Unsubscribes follow an address (R-E14). Idempotent. */
export async function settleTokens(
  app: string,
  hashes: readonly string[],
  deps: Pick<ReactionDeps, 'db' | 'logs' | 'clock'>,
): Promise<void> {
  const found = await rivals(deps.db.collection<DeviceDocument>(DEVICES), app, hashes);
  const groups = Map.groupBy(found, ({ platform, token }) => `${platform} ${token}`);
  await Promise.all([...groups.values()].filter(({ length }) => length > 1).map((holders) => settle(holders, deps)));
}

export function keepTokensUnique(deps: ReactionDeps): Promise<Subscription> {
  return consume(deps.broker, {
    group: TOKEN_OWNERS_GROUP,
    topics: { [topicNames.devices]: partialDecoder(PartialTokenEvent) },
    report: deps.report,
    lingerMs: LINGER_MS,
    handler: (records) =>
      transientAsFault(async () => {
        const hashes = new Map<string, Set<string>>();
        for (const { value } of records) {
          const { tokenHash } = value.tokenSet ?? value.registered?.token ?? {};
          if (tokenHash === undefined) continue;
          const existing = hashes.get(value.application);
          if (existing) existing.add(tokenHash);
          else hashes.set(value.application, new Set([tokenHash]));
        }
        for (const [app, ofApplication] of hashes) await settleTokens(app, [...ofApplication], deps);
      }),
  });
}
