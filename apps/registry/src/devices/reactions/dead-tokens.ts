import { type DeviceAction, deviceLogOf } from '@tidings/audience';
import { ACTIVITY_TOKEN, type AddressField, addressFields, variantOf, tokenText } from '@tidings/channels';
import { resultsIn } from '@tidings/delivery';
import { facts, topicNames, type SliceOutcome } from '@tidings/events';
import { seqOf } from '@tidings/kernel';
import { transientAsFault } from '@tidings/mongo';
import { type DeviceDocument, deviceIndexes, DEVICES } from '@tidings/registry-store';
import { consume, type Subscription } from '@tidings/streaming';
import type { Collection } from 'mongodb';
import { type IdentityKeys, tokenHash } from '../../identities/identity-keys.ts';
import type { DeviceLogCommand } from '../commands/device-log-command.ts';
import type { ReactionDeps } from './token-owners.ts';

/** Consumer group of this reaction. */
export const DEAD_TOKENS_GROUP = 'registry.dead-tokens';

/** A token that a provider reported as invalid, or replaces. */
interface Rejection {
  readonly app: string;
  readonly seq: number;
  /** The field of the address; undefined = the push token. */
  readonly field: AddressField | undefined;
  readonly token: string;
  /** Registrations after this time prove the token valid. */
  readonly since: number;
  /** The provider's own token of the device; "" = none. */
  readonly replacement: string;
}

function rejectionsIn(of: SliceOutcome): Rejection[] {
  const { application: app, chunk, platform, variant } = of;
  const results = resultsIn(of);
  if (!results || results.deadTokens.length === 0) return [];
  const { deadTokens, claimedAt } = results;
  const field = variantOf({ platform, variant }).address;
  return deadTokens.map(({ position, token, since, replacement }) => ({
    app,
    seq: seqOf(chunk, position),
    field,
    token,
    since: (since ?? claimedAt)?.getTime() ?? 0,
    replacement,
  }));
}

const placeOf = ({ app, seq }: { readonly app: string; readonly seq: number }): string => `${app} ${seq}`;

const projection = {
  account: 1,
  app: 1,
  seq: 1,
  hwidHash: 1,
  hwid: 1,
  platform: 1,
  token: 1,
  activities: 1,
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

/** A longer token is no device's (R-LM6). */
const TOKEN_BYTES = 4096;

/** The change of a device with a rejected address; undefined if it keeps it. */
function actionOn(
  { platform }: DeviceDocument,
  { field, token, since, replacement }: Rejection,
  keys: Pick<IdentityKeys, 'token'>,
): DeviceAction | undefined {
  if (field) return { type: 'addressRejected', field, token };
  if (replacement === '') return { type: 'tokenRejected', token, since };
  const text = tokenText(platform, replacement);
  if (Buffer.byteLength(text) > TOKEN_BYTES) return undefined;
  return { type: 'tokenReplaced', token, replacement: { text, hash: tokenHash(keys.token, text) }, since };
}

export interface DeadTokenDeps extends ReactionDeps {
  readonly keys: Pick<IdentityKeys, 'token'>;
}

/**
 * Removes tokens that providers report as invalid, or puts the provider's own in their place, unless another one is stored by now or the same token was registered again after the send began;
 * APNs reports the time itself (R-P2). The log decides; a token that is already gone costs nothing there.
 */
export function forgetDeadTokens({ db, clock, broker, logs, report, keys }: DeadTokenDeps): Promise<Subscription> {
  const devices = db.collection<DeviceDocument>(DEVICES);
  return consume(broker, {
    group: DEAD_TOKENS_GROUP,
    topics: { [topicNames.deadTokens]: facts.outcomes },
    report,
    handler: (records) =>
      transientAsFault(async () => {
        const rejections = records.flatMap(({ value }) => rejectionsIn(value));
        if (rejections.length === 0) return;
        const found = await holders(devices, rejections);
        const at = new Date(clock.now());
        const commands = rejections.flatMap((rejection): DeviceLogCommand[] => {
          const device = found.get(placeOf(rejection));
          if (!device || !isHeld(device, rejection.field, rejection.token)) return [];
          const { account, app: application, hwidHash, hwid } = device;
          const action = actionOn(device, rejection, keys);
          if (!action) return [];
          return [{ identity: { account, application, hwidHash, hwid }, id: device._id, action, at }];
        });
        await Promise.all(commands.map((command) => logs.submit(deviceLogOf(command.identity.hwidHash), command)));
      }),
  });
}
