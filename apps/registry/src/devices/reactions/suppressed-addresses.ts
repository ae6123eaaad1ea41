import type { AddressAction } from '@tidings/audience';
import { isHardBounce } from '@tidings/channels';
import { resultsIn } from '@tidings/delivery';
import { facts, ReportKind, type Reports, type SliceOutcome, topicNames } from '@tidings/events';
import { Bitmap, Platform, seqOf } from '@tidings/kernel';
import { transientAsFault } from '@tidings/mongo';
import { type DeviceDocument, deviceIndexes, DEVICES } from '@tidings/registry-store';
import { consume, type Subscription } from '@tidings/streaming';
import type { AccountWriter } from '../../accounts/account-writer.ts';
import type { ReactionDeps } from './token-owners.ts';

export const SUPPRESSED_ADDRESSES_GROUP = 'registry.suppressed-addresses';

export interface Suppression {
  readonly application: string;
  readonly seq: number;
  readonly action: Extract<AddressAction['type'], 'blacklistAddress' | 'recordComplaint'>;
  readonly readAt: number;
}

export function refusedIn(of: SliceOutcome): Suppression[] {
  const { application, chunk } = of;
  const { bounced = [], claimedAt } = resultsIn(of) ?? {};
  const common = { application, action: 'blacklistAddress', readAt: claimedAt?.getTime() ?? 0 } as const;
  return bounced
    .filter(({ category }) => isHardBounce(category))
    .flatMap(({ set }) => [...Bitmap.decode(set).positions()])
    .map((position) => ({ ...common, seq: seqOf(chunk, position) }));
}

export function reportedIn({ application, chunk, kind, positions, categories, sentAt }: Reports): Suppression[] {
  const reported = (action: Suppression['action'], i: number): Suppression[] => {
    const readAt = (sentAt[i] ?? 0) * 1000;
    return [{ application, action, seq: seqOf(chunk, positions[i]!), readAt }];
  };
  if (kind === ReportKind.REPORT_KIND_MAIL_COMPLAINED)
    return positions.flatMap((_, i) => reported('recordComplaint', i));
  if (kind !== ReportKind.REPORT_KIND_MAIL_BOUNCED) return [];
  return positions.flatMap((_, i) => (isHardBounce(categories[i] ?? '') ? reported('blacklistAddress', i) : []));
}

export type Holder = Pick<DeviceDocument, 'account' | 'seq' | 'th' | 'ta'>;

const projection = { _id: 0, account: 1, seq: 1, th: 1, ta: 1 };

/** Contacts that registered the address again are skipped. */
export function commandsFor(suppressions: readonly Suppression[], found: readonly Holder[], at: Date) {
  const holders = new Map(found.map((holder) => [holder.seq, holder]));
  return suppressions.flatMap(({ seq, action: type, readAt }) => {
    const holder = holders.get(seq);
    if (holder?.th === undefined || (holder.ta ?? 0) > readAt) return [];
    return [{ account: holder.account, action: { type, address: holder.th }, at }];
  });
}

/** Facts carry no addresses: the contact's current one counts unless changed since the send (R-E5, R-E14). */
export function suppressAddresses(deps: ReactionDeps & { readonly write: AccountWriter }): Promise<Subscription> {
  const { db, clock, broker, report, write } = deps;
  const devices = db.collection<DeviceDocument>(DEVICES);

  const suppress = async (application: string, own: readonly Suppression[]): Promise<void> => {
    const filter = {
      app: application,
      seq: { $in: [...new Set(own.map(({ seq }) => seq))] },
      platform: Platform.Email,
    };
    const found = await devices.find<Holder>(filter, { projection, hint: deviceIndexes.seq }).toArray();
    await Promise.all(commandsFor(own, found, new Date(clock.now())).map(write));
  };

  return consume(broker, {
    group: SUPPRESSED_ADDRESSES_GROUP,
    topics: { [topicNames.outcomes]: facts.outcomes, [topicNames.reports]: facts.reports },
    report,
    handler: (records) =>
      transientAsFault(async () => {
        const all = records.flatMap((record) =>
          record.topic === topicNames.reports ? reportedIn(record.value) : refusedIn(record.value),
        );
        const byApplication = Map.groupBy(all, ({ application }) => application);
        await Promise.all([...byApplication].map(([application, own]) => suppress(application, own)));
      }),
  });
}
