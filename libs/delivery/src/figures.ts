import type { Bitmap } from '@tidings/kernel';
import { type HourSets, mergeHours, upToHour } from './hour-sets.ts';
import { confirmedMail, type MailStages, openedMail } from './mail-stages.ts';

/** The outcomes of the devices of one (application, platform, chunk) for one message: the sets that all figures are computed from. */
export interface ChunkStages {
  readonly platform: number;
  readonly eligible: Bitmap;
  /** Excluded devices by category of STAGE_AUDIENCE. */
  readonly excluded: ReadonlyMap<string, Bitmap>;
  readonly failed: readonly FailedDevices[];
  readonly sent: HourSets;
  /** Devices with notifications turned off at send time. */
  readonly notDisplayable: Bitmap;
  readonly delivered: HourSets;
  readonly opened: HourSets;
  readonly inbox: InboxStages;
  /** Stages of e-mail, whose deliveries and opens no device reports: `delivered` and `opened` are empty. Undefined for other platforms. */
  readonly mail?: MailStages | undefined;
}

/** The devices that the provider accepted, or whose e-mail bounced (R-H11). */
export const sentOf = (stages: ChunkStages): Bitmap => upToHour(stages.sent);

/** The number of devices that failed finally. */
export const failedOf = (stages: ChunkStages): number =>
  stages.failed.reduce((sum, { hours }) => sum + upToHour(hours).size, 0);

/**
 * Confirmed devices: a delivery report or an open confirms, whichever came first (R-C11), and an e-mail is confirmed that was accepted and has not
 * bounced (R-H13).
 * @param last time until which bounces count, in hours @default all count
 */
export const confirmedHoursOf = ({ mail, delivered, opened }: ChunkStages, last?: number): HourSets =>
  mail ? confirmedMail(mail, last) : mergeHours([delivered, opened]);

/** Devices by their first open; of an e-mail, by a person or a machine. */
export const openedHoursOf = ({ mail, opened }: ChunkStages): HourSets => (mail ? openedMail(mail) : opened);

/** The same for the inbox, whose audience has devices without a token, too (R-H12, R-H20). */
export interface InboxStages {
  readonly eligible: Bitmap;
  readonly excluded: ReadonlyMap<string, Bitmap>;
  readonly reached: HourSets;
  readonly read: HourSets;
  readonly opened: HourSets;
  /** One device for each entry that was opened, however many devices got the entry (R-H4). */
  readonly entriesOpened: HourSets;
}

/** Final failures of one kind, by hour. */
export interface FailedDevices {
  readonly category: string;
  readonly code: string;
  readonly name: string;
  readonly hours: HourSets;
}

export interface PlatformMetrics {
  readonly platform: number;
  readonly sends: number;
  readonly opens: number;
  readonly deliveries: number;
  readonly inboxOpens: number;
  readonly unshowableSends: number;
  readonly errors: number;
  /** Metrics of e-mail; undefined for other platforms. */
  readonly mail?: MailMetrics | undefined;
}

/** Further metrics of e-mail (R-E16). */
export interface MailMetrics {
  /** Accepted by the receiving side. */
  readonly confirmedSends: number;
  readonly hardBounces: number;
  readonly softBounces: number;
  /** Excluded as unsubscribed, blacklisted or by a complaint. */
  readonly rejects: number;
  readonly unsubs: number;
  readonly complaints: number;
}

export interface Count {
  readonly count: number;
  /** Ascending, without zeros (R-H9). */
  readonly platforms: { platform: number; count: number }[];
}

export interface Piece {
  readonly kind: string;
  readonly category: string;
  readonly total: Count;
}

export interface StageError {
  readonly category: string;
  readonly total: Count;
  readonly codes: { platform: number; code: string; name: string; count: number }[];
}

export interface Stage {
  readonly stage: string;
  readonly total: Count;
  readonly pieces: Piece[];
  readonly errors: StageError[];
}

export interface ChannelFunnel {
  readonly channel: string;
  readonly deliveriesForm: string;
  readonly basicFormReason: string;
  readonly confirmedDeliveries: Count;
  readonly funnel: Stage[];
}

export interface Funnel {
  readonly funnelState: string;
  readonly windowFrom: Date | undefined;
  readonly windowTo: Date | undefined;
  readonly channels: ChannelFunnel[];
}

const EXCLUSIONS = [
  'FREQUENCY_CAPPING',
  'CONTROL_GROUP',
  'UNSUBSCRIBED',
  'BOUNCED',
  'COMPLAINT',
  'FILTERED_BY_CATEGORY',
];

/** Selects the chunks of these platforms. @param platforms empty = all */
export const isWanted =
  (platforms: readonly number[]) =>
  ({ platform }: ChunkStages): boolean =>
    platforms.length === 0 || platforms.includes(platform);

/** One set of devices per platform and chunk, counted by adding sizes. */
export type Pick = (stages: ChunkStages) => number;

export function total(stages: readonly ChunkStages[], pick: Pick): Count {
  const byPlatform = new Map<number, number>();
  for (const chunk of stages) byPlatform.set(chunk.platform, (byPlatform.get(chunk.platform) ?? 0) + pick(chunk));
  const platforms = [...byPlatform]
    .filter(([, count]) => count > 0)
    .sort(([a], [b]) => a - b)
    .map(([platform, count]) => ({ platform, count }));
  return { count: platforms.reduce((sum, { count }) => sum + count, 0), platforms };
}

/** The eligible devices of a channel, and those that are excluded. */
export interface AudienceSets {
  readonly eligible: Bitmap;
  /** Excluded devices by category of STAGE_AUDIENCE. */
  readonly excluded: ReadonlyMap<string, Bitmap>;
}

/** The number of devices in an audience. */
export const audienceSize = ({ eligible, excluded }: AudienceSets): number =>
  [...excluded.values()].reduce((sum, set) => sum + set.size, eligible.size);

/** STAGE_AUDIENCE with its pieces (R-H9, R-H11). */
export function audienceStage(stages: readonly ChunkStages[], audienceOf: (chunk: ChunkStages) => AudienceSets): Stage {
  return {
    stage: 'STAGE_AUDIENCE',
    total: total(stages, (chunk) => audienceSize(audienceOf(chunk))),
    pieces: [
      {
        kind: 'KIND_PASSED',
        category: 'ELIGIBLE_AUDIENCE',
        total: total(stages, (chunk) => audienceOf(chunk).eligible.size),
      },
      ...EXCLUSIONS.map((category) => ({
        kind: 'KIND_REASON',
        category,
        total: total(stages, (chunk) => audienceOf(chunk).excluded.get(category)?.size ?? 0),
      })),
    ],
    errors: [],
  };
}
