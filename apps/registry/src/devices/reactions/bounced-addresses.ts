import { tokenTime } from '@tidings/audience';
import { isHardBounce } from '@tidings/channels';
import { facts, type SliceOutcome, topicNames } from '@tidings/events';
import { Bitmap, Platform, seqOf } from '@tidings/kernel';
import { transientAsFault } from '@tidings/mongo';
import { consume, type Subscription } from '@tidings/streaming';
import type { AccountWriter } from '../../accounts/account-writer.ts';
import { type DeviceDocument, deviceIndexes, DEVICES } from '../storage/device-document.ts';
import type { ReactionDeps } from './token-owners.ts';

/** Consumer group of this reaction. */
export const BOUNCED_ADDRESSES_GROUP = 'registry.bounced-addresses';

/** A contact whose mail was refused for good. */
interface Bounce {
  readonly application: string;
  readonly seq: number;
  /** The address was read before this time. */
  readonly claimedAt: number;
}

function bouncesIn({ application, chunk, outcome }: SliceOutcome): Bounce[] {
  if (outcome?.$case !== 'settled') return [];
  const { bounced, claimedAt } = outcome.value;
  return bounced
    .filter(({ category }) => isHardBounce(category))
    .flatMap(({ set }) => [...Bitmap.decode(set).positions()])
    .map((position) => ({ application, seq: seqOf(chunk, position), claimedAt: claimedAt?.getTime() ?? 0 }));
}

type Holder = Pick<DeviceDocument, 'account' | 'seq' | 'th' | 'ta' | 'platform'>;

const projection = { _id: 0, account: 1, seq: 1, th: 1, ta: 1, platform: 1 };

/**
 * Puts addresses on the blacklist of their account whose mail bounced hard (R-E5). Outcomes carry no addresses: it is that of the contact, unless the
 * contact has got another one since the send began.
 */
export function blacklistBounced(deps: ReactionDeps & { readonly write: AccountWriter }): Promise<Subscription> {
  const { db, clock, broker, report, write } = deps;
  const devices = db.collection<DeviceDocument>(DEVICES);

  const blacklist = async (application: string, bounces: readonly Bounce[]): Promise<void> => {
    const claimed = new Map(bounces.map(({ seq, claimedAt }) => [seq, claimedAt]));
    const filter = { app: application, seq: { $in: [...claimed.keys()] }, platform: Platform.Email };
    const holders = await devices.find<Holder>(filter, { projection, hint: deviceIndexes.seq }).toArray();
    const at = new Date(clock.now());
    await Promise.all(
      holders.flatMap((holder) => {
        const { account, th, seq } = holder;
        if (th === undefined || tokenTime(holder) > claimed.get(seq)!) return [];
        return [write({ account, action: { type: 'blacklistAddress', address: th }, at })];
      }),
    );
  };

  return consume(broker, {
    group: BOUNCED_ADDRESSES_GROUP,
    topics: { [topicNames.outcomes]: facts.outcomes },
    report,
    handler: (records) =>
      transientAsFault(async () => {
        const bounces = records.flatMap(({ value }) => bouncesIn(value));
        const byApplication = Map.groupBy(bounces, ({ application }) => application);
        await Promise.all([...byApplication].map(([application, own]) => blacklist(application, own)));
      }),
  });
}
