import { deviceLogOf } from '@tidings/audience';
import { ACTIVITY_TOKEN, type AddressField, addressFields, variantOf } from '@tidings/channels';
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
  /** The field of the address; undefined = the push token. */
  readonly field: AddressField | undefined;
  readonly token: string;
  /** Registrations after this time prove the token valid. */
  readonly since: number;
}

function rejectionsIn({ application: app, chunk, platform, variant, outcome }: SliceOutcome): Rejection[] {
  if (outcome?.$case !== 'settled') return [];
  const { deadTokens, claimedAt } = outcome.value;
  if (deadTokens.length === 0) return [];
  const field = variantOf({ platform, variant }).address;
  return deadTokens.map(({ position, token, since }) => ({
    app,
    seq: seqOf(chunk, position),
    field,
    token,
    since: (since ?? claimedAt)?.getTime() ?? 0,
  }));
}

const placeOf = ({ app, seq }: { readonly app: string; readonly seq: number }): string => `${app} ${seq}`;

const projection = {
  ...{ account: 1, app: 1, seq: 1, hwidHash: 1, hwid: 1, token: 1, activities: 1 },
  ...Object.fromEntries(addressFields.map((field) => [field, 1])),
} as const;

/** Whether a device still has the rejected address. */
const isHeld = (device: DeviceDocument, field: AddressField | undefined, token: string): boolean =>
  field === ACTIVITY_TOKEN
    ? (device.activities?.some((each) => each.token === token) ?? false)
    : device[field ?? 'token'] === token;

/** Devices that still have a rejected token, with the fields that address them. */
async function holders(
  devices: Collection<DeviceDocument>,
  rejections: readonly Rejection[],
): Promise<Map<string, DeviceDocument>> {
  const byApp = Map.groupBy(rejections, ({ app }) => app);
  const found = await Promise.all(
    [...byApp].map(([app, rejected]) =>
      devices
        .find({ app, seq: { $in: rejected.map(({ seq }) => seq) } }, { projection, hint: deviceIndexes.seq })
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
        const commands = rejections.flatMap(({ field, token, since, ...place }): DeviceLogCommand[] => {
          const device = found.get(placeOf(place));
          if (!device || !isHeld(device, field, token)) return [];
          const { account, app: application, hwidHash, hwid } = device;
          const action = field
            ? ({ type: 'addressRejected', field, token } as const)
            : ({ type: 'tokenRejected', token, since } as const);
          return [{ identity: { account, application, hwidHash, hwid }, id: device._id, action, at }];
        });
        await Promise.all(commands.map((command) => logs.submit(deviceLogOf(command.identity.hwidHash), command)));
      }),
  });
}
