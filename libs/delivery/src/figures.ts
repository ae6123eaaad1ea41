import type { Bitmap } from '@tidings/kernel';
import { type HourSets, mergeHours, upToHour } from './hour-sets.ts';
import { confirmedMail, type MailStages, openedMail } from './mail-stages.ts';

export interface ChunkStages {
  readonly platform: number;
  readonly eligible: Bitmap;
  readonly excluded: ReadonlyMap<string, Bitmap>;
  readonly failed: readonly FailedDevices[];
  readonly sent: HourSets;
  readonly notDisplayable: Bitmap;
  readonly delivered: HourSets;
  readonly opened: HourSets;
  readonly inbox: InboxStages;
  readonly mail?: MailStages | undefined;
}

export const sentOf = (stages: ChunkStages): Bitmap => upToHour(stages.sent);

export const failedOf = (stages: ChunkStages): number =>
  stages.failed.reduce((sum, { hours }) => sum + upToHour(hours).size, 0);

export const confirmedHoursOf = ({ mail, delivered, opened }: ChunkStages, last?: number): HourSets =>
  mail ? confirmedMail(mail, last) : mergeHours([delivered, opened]);

export const openedHoursOf = ({ mail, opened }: ChunkStages): HourSets => (mail ? openedMail(mail) : opened);

export interface InboxStages {
  readonly eligible: Bitmap;
  readonly excluded: ReadonlyMap<string, Bitmap>;
  readonly reached: HourSets;
  readonly read: HourSets;
  readonly opened: HourSets;
  readonly entriesOpened: HourSets;
}

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
  readonly mail?: MailMetrics | undefined;
}

export interface MailMetrics {
  readonly confirmedSends: number;
  readonly hardBounces: number;
  readonly softBounces: number;
  readonly rejects: number;
  readonly unsubs: number;
  readonly complaints: number;
}

export interface Count {
  readonly count: number;
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

export const isOfPlatforms =
  (platforms: readonly number[]) =>
  ({ platform }: ChunkStages): boolean =>
    platforms.length === 0 || platforms.includes(platform);

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

export interface AudienceSets {
  readonly eligible: Bitmap;
  readonly excluded: ReadonlyMap<string, Bitmap>;
}

export const audienceSize = ({ eligible, excluded }: AudienceSets): number =>
  [...excluded.values()].reduce((sum, set) => sum + set.size, eligible.size);

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
