import { hwidCheckOf, entriesIn, outputOf, plainText, type TagDefinition, valueOf } from '@tidings/audience';
import { addressFields } from '@tidings/channels';
import { type DeviceDocument, deviceIndexes, DEVICES } from '@tidings/registry-store';
import type { DescribeRequest, DeviceDescription, Devices, ShownBadges } from '@tidings/rpc';
import type { DevicesDeps } from '../commands/apply.ts';
import { withExactTags } from '../storage/stored-device.ts';

const UNKNOWN: DeviceDescription = {
  found: false,
  hwid: '',
  userId: '',
  language: '',
  token: '',
  check: 0,
  badge: 0,
  badgeOf: '',
  values: [],
  addresses: {},
};

/** Unknown names would otherwise be queried with every slice. */
const TAG_MAX_AGE_MS = 1_000;

const projection = {
  _id: 0,
  seq: 1,
  status: 1,
  hwid: 1,
  userId: 1,
  hwidHash: 1,
  lang: 1,
  tz: 1,
  alerts: 1,
  token: 1,
  tags: 1,
  self: 1,
  ...Object.fromEntries(addressFields.map((field) => [field, 1])),
} as const;

function textOf(device: DeviceDocument, tag: TagDefinition | undefined): string {
  const value = tag && valueOf(tag.type, entriesIn(device, tag.number));
  if (!value) return '';
  const output = outputOf(value);
  if (typeof output === 'object') return output.join(', ');
  return typeof output === 'boolean' ? String(output) : (plainText(output) ?? '');
}

const addressesOf = (device: DeviceDocument): Record<string, string> =>
  Object.fromEntries(addressFields.flatMap((field) => (device[field] ? [[field, device[field]]] : [])));

function descriptionOf(device: DeviceDocument, tags: readonly (TagDefinition | undefined)[]): DeviceDescription {
  const { badge = 0, badgeOf = '' } = device.self ?? {};
  return {
    found: true,
    hwid: device.hwid,
    userId: device.userId ?? device.hwid,
    language: device.lang ?? '',
    token: device.token ?? '',
    check: hwidCheckOf(device.hwidHash),
    badge: Math.max(0, badge),
    badgeOf,
    values: tags.map((tag) => textOf(device, tag)),
    addresses: addressesOf(device),
  };
}

export interface DescribeDeps extends DevicesDeps {
  readonly shownBadges: (request: DescribeRequest) => Promise<ShownBadges[]>;
}

export function describeRpc({ db, owners, tags, shownBadges }: DescribeDeps): Pick<Devices, 'describe'> {
  const devices = db.collection<DeviceDocument>(DEVICES);
  return {
    async describe(request) {
      const { account, application, seqs, tags: names } = request;
      await owners.learn([application]);
      if (!owners.owns(account, application))
        return { devices: seqs.map(() => UNKNOWN), applicationTitle: '', mailFrom: '', badges: [] };
      const [set, found, badges] = await Promise.all([
        tags.of(account, names, TAG_MAX_AGE_MS),
        devices
          .find({ app: application, seq: { $in: seqs } }, { projection, hint: deviceIndexes.seq, batchSize: 10_000 })
          .toArray(),
        shownBadges(request),
      ]);
      const requestedTags = names.map((name) => set.named(name));
      const present = found.filter(({ status }) => status === 1);
      const bySeq = new Map(present.map((device) => [device.seq, descriptionOf(withExactTags(device), requestedTags)]));
      return {
        devices: seqs.map((seq) => bySeq.get(seq) ?? UNKNOWN),
        applicationTitle: owners.titleOf(application),
        mailFrom: owners.mailFromOf(application),
        badges,
      };
    },
  };
}
