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

export const DEAD_TOKENS_GROUP = 'registry.dead-tokens';

interface Rejection {
  readonly app: string;
  readonly seq: number;
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

const deviceKeyOf = ({ app, seq }: { readonly app: string; readonly seq: number }): string => `${app} ${seq}`;

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

const hasAddress = (device: DeviceDocument, field: AddressField | undefined, token: string): boolean =>
  field === ACTIVITY_TOKEN
    ? (device.activities?.some((each) => each.token === token) ?? false)
    : device[field ?? 'token'] === token;

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
  return new Map(found.flat().map((device) => [deviceKeyOf(device), device]));
}

/** A longer token is no device's (R-LM6). */
const TOKEN_BYTES = 4096;

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

/** A token registered again since the send, or since APNs' own time, stays (R-P2). */
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
          const device = found.get(deviceKeyOf(rejection));
          if (!device || !hasAddress(device, rejection.field, rejection.token)) return [];
          const { account, app: application, hwidHash, hwid } = device;
          const action = actionOn(device, rejection, keys);
          if (!action) return [];
          return [{ identity: { account, application, hwidHash, hwid }, id: device._id, action, at }];
        });
        await Promise.all(commands.map((command) => logs.submit(deviceLogOf(command.identity.hwidHash), command)));
      }),
  });
}
