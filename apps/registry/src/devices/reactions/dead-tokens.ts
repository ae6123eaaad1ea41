import { deviceLogOf } from '@tidings/audience';
import { facts, topicNames, type SliceOutcome } from '@tidings/events';
import { seqOf } from '@tidings/kernel';
import { transientAsFault } from '@tidings/mongo';
import { consume, type Subscription } from '@tidings/streaming';
import type { Collection } from 'mongodb';
import type { DeviceLogCommand } from '../commands/device-log-command.ts';
import { type DeviceDocument, deviceIndexes, DEVICES } from '../storage/device-document.ts';
import type { ReactionDeps } from './token-owners.ts';

/** Consumer group of this reaction. */
export const DEAD_TOKENS_GROUP = 'registry.dead-tokens';

/** A token that a provider reported as invalid. */
interface Rejection {
  readonly app: string;
  readonly seq: number;
  readonly token: string;
  /** Registrations after this time prove the token valid. */
  readonly since: number;
}

function rejectionsIn({ application: app, chunk, outcome }: SliceOutcome): Rejection[] {
  if (outcome?.$case !== 'settled') return [];
  const { deadTokens, claimedAt } = outcome.value;
  return deadTokens.map(({ position, token, since }) => ({
    app,
    seq: seqOf(chunk, position),
    token,
    since: (since ?? claimedAt)?.getTime() ?? 0,
  }));
}

const placeOf = ({ app, seq }: { readonly app: string; readonly seq: number }): string => `${app} ${seq}`;

/** Devices that still have a rejected token, with the fields that address them. */
async function holders(
  devices: Collection<DeviceDocument>,
  rejections: readonly Rejection[],
): Promise<Map<string, DeviceDocument>> {
  const byApp = Map.groupBy(rejections, ({ app }) => app);
  const found = await Promise.all(
    [...byApp].map(([app, rejected]) =>
      devices
        .find(
          { app, seq: { $in: rejected.map(({ seq }) => seq) } },
          { projection: { account: 1, app: 1, seq: 1, hwidHash: 1, hwid: 1, token: 1 }, hint: deviceIndexes.seq },
        )
        .toArray(),
    ),
  );
  return new Map(found.flat().map((device) => [placeOf(device), device]));
}

/**
 * Removes tokens that providers report as invalid, unless another one is stored by now or the same token was registered again after the send began;
 * APNs reports the time itself (R-P2). The log decides; a token that is already gone costs nothing there.
 */
export function forgetDeadTokens({ db, clock, broker, logs, report }: ReactionDeps): Promise<Subscription> {
  const devices = db.collection<DeviceDocument>(DEVICES);
  return consume(broker, {
    group: DEAD_TOKENS_GROUP,
    topics: { [topicNames.outcomes]: facts.outcomes },
    report,
    handler: (records) =>
      transientAsFault(async () => {
        const rejections = records.flatMap(({ value }) => rejectionsIn(value));
        if (rejections.length === 0) return;
        const found = await holders(devices, rejections);
        const at = new Date(clock.now());
        const commands = rejections.flatMap(({ token, since, ...place }): DeviceLogCommand[] => {
          const device = found.get(placeOf(place));
          if (device?.token !== token) return [];
          const { account, app: application, hwidHash, hwid } = device;
          const action = { type: 'tokenRejected', token, since } as const;
          return [{ identity: { account, application, hwidHash, hwid }, id: device._id, action, at }];
        });
        await Promise.all(commands.map((command) => logs.submit(deviceLogOf(command.identity.hwidHash), command)));
      }),
  });
}
