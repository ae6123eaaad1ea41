import { type Bitmap, Platform } from '@tidings/kernel';
import {
  audienceSize,
  audienceStage,
  type ChannelFunnel,
  type ChunkStages,
  confirmedHoursOf,
  failedOf,
  type Funnel,
  isOfPlatforms,
  openedHoursOf,
  type Pick,
  type Piece,
  type PlatformMetrics,
  sentOf,
  type Stage,
  type StageError,
  total,
} from './figures.ts';
import { hoursOfSecond, upToHour, upToHourOfAny } from './hour-sets.ts';
import { entriesOpened, inboxFunnel, isInInbox } from './inbox-funnel.ts';
import { bouncePieces, mailMetricsOf, readingStages } from './mail-funnel.ts';

const DAY_MS = 86_400_000;
const WINDOW_MS = 30 * DAY_MS;
/** A funnel expires after this time (R-S7). */
const FUNNEL_MS = 90 * DAY_MS;

const wholeSeconds = (at: Date): number => Math.floor(at.getTime() / 1000) * 1000;

export const windowEndOf = (releasedAt: Date): number => wholeSeconds(releasedAt) + WINDOW_MS;

interface ChannelOfFunnel {
  readonly channel: string;
  readonly perDevice: boolean;
  readonly platforms: readonly number[];
}

const MAIL = 'CHANNEL_EMAIL';

const CHANNELS: readonly ChannelOfFunnel[] = [
  {
    channel: 'CHANNEL_MOBILE_PUSH',
    perDevice: true,
    platforms: [
      Platform.iOS,
      Platform.Blackberry,
      Platform.Android,
      Platform.WindowsPhone,
      Platform.Amazon,
      Platform.Huawei,
      Platform.Xiaomi,
    ],
  },
  {
    channel: 'CHANNEL_WEB_PUSH',
    perDevice: true,
    platforms: [Platform.Safari, Platform.Chrome, Platform.Firefox, Platform.InternetExplorer],
  },
  { channel: MAIL, perDevice: false, platforms: [Platform.Email] },
  {
    channel: 'CHANNEL_OTHER',
    perDevice: false,
    platforms: [Platform.MacOS, Platform.Windows, Platform.Sms, Platform.WhatsApp, Platform.Kakao, Platform.Line],
  },
];

const confirmedOf = (stages: ChunkStages, last?: number): Bitmap =>
  // Merging hour by hour would take most of the funnel's time.
  stages.mail ? upToHour(confirmedHoursOf(stages, last), last) : upToHourOfAny([stages.delivered, stages.opened], last);

export function metricsOf(stages: readonly ChunkStages[]): PlatformMetrics[] {
  const platforms = [
    ...new Set(stages.filter((chunk) => isCounted(chunk) || entriesOpened(chunk) > 0).map(({ platform }) => platform)),
  ].sort((a, b) => a - b);
  return platforms.map((platform) => {
    const own = stages.filter((chunk) => chunk.platform === platform);
    const sum = (pick: Pick): number => total(own, pick).count;
    return {
      platform,
      sends: sum((chunk) => sentOf(chunk).size),
      opens: sum((chunk) => upToHour(openedHoursOf(chunk)).intersect(chunk.eligible).size),
      deliveries: sum((chunk) => confirmedOf(chunk).intersect(chunk.eligible).size),
      inboxOpens: sum(entriesOpened),
      unshowableSends: sum((chunk) => chunk.notDisplayable.intersect(sentOf(chunk)).size),
      errors: sum(failedOf),
      ...(platform === Platform.Email && { mail: mailMetricsOf(own) }),
    };
  });
}

const isCounted = (stages: ChunkStages): boolean => audienceSize(stages) > 0;

export function funnelOf(
  all: readonly ChunkStages[],
  releasedAt: Date | undefined,
  now: Date,
  platforms: readonly number[],
  isTracked = true,
): Funnel {
  const nothing = { windowFrom: undefined, windowTo: undefined, channels: [] };
  const age = releasedAt ? now.getTime() - releasedAt.getTime() : 0;
  if (age >= FUNNEL_MS) return { funnelState: 'FUNNEL_STATE_EXPIRED', ...nothing };
  if (!releasedAt || !all.some((chunk) => isCounted(chunk) || isInInbox(chunk)))
    return { funnelState: 'FUNNEL_STATE_NO_EVENTS', ...nothing };
  const windowTo = new Date(Math.min(wholeSeconds(now), windowEndOf(releasedAt)));
  const rows = { areKept: age <= WINDOW_MS, isTracked, last: hoursOfSecond(windowTo.getTime() / 1000) };
  const selected = all.filter(isOfPlatforms(platforms));
  return {
    funnelState: 'FUNNEL_STATE_READY',
    windowFrom: new Date(wholeSeconds(releasedAt)),
    windowTo,
    channels: [
      ...CHANNELS.flatMap((of) => {
        const stages = selected.filter(({ platform }) => of.platforms.includes(platform)).filter(isCounted);
        return stages.length === 0 ? [] : [channelFunnel(of, stages, rows)];
      }),
      ...inboxFunnel(selected.filter(isInInbox), rows.last),
    ],
  };
}

interface Rows {
  readonly areKept: boolean;
  readonly isTracked: boolean;
  readonly last: number;
}

function basicReason(perDevice: boolean, { areKept, isTracked }: Rows, sent: number): string {
  if (!perDevice) return 'NOT_APPLICABLE';
  if (!areKept) return 'RETENTION';
  if (sent === 0) return 'NO_DELIVERIES';
  return isTracked ? 'UNSPECIFIED' : 'UNAVAILABLE';
}

function channelFunnel(
  { channel, perDevice: mayBePerDevice }: ChannelOfFunnel,
  stages: readonly ChunkStages[],
  rows: Rows,
): ChannelFunnel {
  const { last } = rows;
  const isMail = channel === MAIL;
  const sent = total(stages, (chunk) => sentOf(chunk).size);
  const reason = basicReason(mayBePerDevice, rows, sent.count);
  const perDevice = reason === 'UNSPECIFIED';
  return {
    channel,
    deliveriesForm: perDevice ? 'DELIVERIES_FORM_PER_DEVICE' : 'DELIVERIES_FORM_BASIC',
    basicFormReason: `BASIC_FORM_REASON_${reason}`,
    confirmedDeliveries: total(stages, (chunk) => confirmedOf(chunk).intersect(chunk.eligible).size),
    funnel: [
      audienceStage(stages, (chunk) => chunk),
      { stage: 'STAGE_SENT', total: sent, pieces: [], errors: [] },
      errorsStage(stages),
      {
        stage: 'STAGE_DELIVERIES',
        total: sent,
        pieces: [
          ...(perDevice ? perDeviceRows(stages, last) : basicRows(stages, last)),
          ...(isMail ? bouncePieces(stages, last) : []),
        ],
        errors: [],
      },
      ...(isMail ? readingStages(stages, last, rows.areKept) : [openedStage(stages, last)]),
    ],
  };
}

const openedStage = (stages: readonly ChunkStages[], last: number): Stage => ({
  stage: 'STAGE_OPENED',
  total: total(stages, (chunk) => upToHour(chunk.opened, last).intersect(sentOf(chunk)).size),
  pieces: [],
  errors: [],
});

function errorsStage(stages: readonly ChunkStages[]): Stage {
  const categories = [...new Set(stages.flatMap(({ failed }) => failed.map(({ category }) => category)))];
  const errors = categories.map((category) => {
    const own = stages.map((chunk) => ({ ...chunk, failed: chunk.failed.filter((one) => one.category === category) }));
    return { category, total: total(own, failedOf), codes: codesOf(own) };
  });
  return {
    stage: 'STAGE_ERRORS',
    total: total(stages, failedOf),
    pieces: [],
    errors: errors.filter((error) => error.total.count > 0).sort((a, b) => b.total.count - a.total.count),
  };
}

function codesOf(stages: readonly ChunkStages[]): StageError['codes'] {
  const codes = new Map<string, StageError['codes'][number]>();
  for (const { platform, failed } of stages) {
    for (const { code, name, hours } of failed) {
      const key = JSON.stringify([platform, code, name]);
      const entry = codes.get(key) ?? { platform, code, name, count: 0 };
      entry.count += upToHour(hours).size;
      codes.set(key, entry);
    }
  }
  return [...codes.values()].filter(({ count }) => count > 0).sort((a, b) => b.count - a.count);
}

function perDeviceRows(stages: readonly ChunkStages[], last: number): Piece[] {
  const row = (
    kind: string,
    category: string,
    pick: (sent: Bitmap, hidden: Bitmap, confirmed: Bitmap) => number,
  ): Piece => ({
    kind,
    category,
    total: total(stages, (chunk) => pick(sentOf(chunk), chunk.notDisplayable, confirmedOf(chunk, last))),
  });
  return [
    row(
      'KIND_PASSED',
      'DISPLAYABLE_CONFIRMED',
      (sent, hidden, confirmed) => sent.minus(hidden).intersect(confirmed).size,
    ),
    row(
      'KIND_REASON',
      'DISPLAYABLE_NO_CONFIRMATION',
      (sent, hidden, confirmed) => sent.minus(hidden).minus(confirmed).size,
    ),
    row(
      'KIND_PASSED',
      'NOT_DISPLAYABLE_CONFIRMED',
      (sent, hidden, confirmed) => sent.intersect(hidden).intersect(confirmed).size,
    ),
    row(
      'KIND_REASON',
      'NOT_DISPLAYABLE_NO_CONFIRMATION',
      (sent, hidden, confirmed) => sent.intersect(hidden).minus(confirmed).size,
    ),
  ];
}

function basicRows(stages: readonly ChunkStages[], last: number): Piece[] {
  const confirmed = (chunk: ChunkStages): number => sentOf(chunk).intersect(confirmedOf(chunk, last)).size;
  return [
    { kind: 'KIND_PASSED', category: 'CONFIRMED_BY_DEVICE', total: total(stages, confirmed) },
    {
      kind: 'KIND_REASON',
      category: 'NO_CONFIRMATION',
      total: total(stages, (chunk) => sentOf(chunk).size - confirmed(chunk)),
    },
  ];
}
