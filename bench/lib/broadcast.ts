import { ALERT, definitions, sent } from '@tidings/channels';
import {
  type DeviceResult,
  hourOf,
  messageChunkKey,
  positionsOfSlice,
  resultsOf,
  settledOutcome,
  sliceCount,
  noMailColumns,
  withoutTokens,
} from '@tidings/delivery';
import { MessageEvent, PlanEvent, ReportKind, Reports, topicNames, SliceOutcome } from '@tidings/events';
import { CHUNK_SIZE, Bitmap, newMessageCode, Platform } from '@tidings/kernel';
import { type Broker, microBatcher, type OutRecord } from '@tidings/streaming';

export interface Broadcast {
  readonly message: string;
  /** Ordered by time: an outcome for each slice, a report for each reporting device. */
  readonly records: ReadonlyMap<string, readonly OutRecord[]>;
  readonly figures: readonly Figures[];
}

interface Figures {
  readonly platform: number;
  sends: number;
  deliveries: number;
  opens: number;
  errors: number;
}

const CHUNKS = 8;
const AUDIENCE = 0.75;
const REFUSED = 0.02;
const NOT_DISPLAYABLE = 0.1;
const DELIVERED = 0.6;
const OPENED_OF_DELIVERED = 0.12;
const MINUTE_MS = 60_000;
/** The others report later. */
const AWAKE = 0.8;
const DELIVERY_MS = { awake: MINUTE_MS, asleep: 90 * MINUTE_MS };
const OPENING_MS = 40 * MINUTE_MS;
const LATEST_MS = 12 * 60 * MINUTE_MS;

const APPLICATION = 'A1B2C-3D4E5';
const platforms = [Platform.iOS, Platform.Android] as const;
const refusals = {
  [Platform.iOS]: definitions.apns.refusal(410, '{"reason":"Unregistered"}').result,
  [Platform.Android]: definitions.fcm.refusal(404, '{"error":{"details":[{"errorCode":"UNREGISTERED"}]}}').result,
};

interface DeviceReport {
  readonly chunk: number;
  readonly position: number;
  readonly platform: number;
  readonly kind: ReportKind;
  readonly at: number;
}

const PUBLISHED_AT_ONCE = 2_000;

/** Sequences interleave. Thousands at a time: all at once would be in memory twice. */
export async function publishAll(
  broker: Pick<Broker, 'publish'>,
  topic: string,
  ...sequences: readonly (readonly OutRecord[])[]
): Promise<void> {
  const batcher = microBatcher(broker, topic);
  const publish = async (records: readonly OutRecord[]): Promise<void> => {
    for (let i = 0; i < records.length; i += PUBLISHED_AT_ONCE)
      await Promise.all(records.slice(i, i + PUBLISHED_AT_ONCE).map((record) => batcher.publish(record)));
  };
  await Promise.all(sequences.map(publish));
}

export const chunksOf = (devices: number): number => Math.ceil(devices / (CHUNK_SIZE * AUDIENCE));

export function broadcast(at: Date, messageId: bigint, chunks = CHUNKS): Broadcast {
  const message = newMessageCode(0);
  const identity = { message, messageId, account: 'bench', application: APPLICATION };
  const figures = platforms.map((platform): Figures => ({ platform, sends: 0, deliveries: 0, opens: 0, errors: 0 }));
  const plans: OutRecord[] = [];
  const outcomes: OutRecord[] = [];
  const reports: DeviceReport[] = [];
  for (let chunk = 0; chunk < chunks; chunk++) {
    const key = messageChunkKey({ message, application: APPLICATION, chunk });
    const audience = platforms.map((_, index) => audienceOf(index));
    const eligible = platforms.map((platform, i) => ({ platform, set: Buffer.from(audience[i]!.encode()) }));
    const planned = PlanEvent.fromPartial({ ...identity, at, event: { $case: 'chunk', value: { chunk, eligible } } });
    plans.push({ key, value: PlanEvent.encode(planned).finish() });
    for (const [i, platform] of platforms.entries()) {
      const devices = audience[i]!.positions();
      for (let number = 0; number < sliceCount(devices.length); number++) {
        const results = Array.from(positionsOfSlice(devices, number), (position) => resultOf(position, platform, at));
        const slice = { ...identity, bucket: 0, chunk, platform, variant: ALERT, number };
        const outcome = settledOutcome(slice, resultsOf(results), at, at);
        outcomes.push({ key, value: SliceOutcome.encode(withoutTokens(outcome).facts).finish() });
        for (const result of results) reports.push(...reportsOf(result, chunk, at, figures[i]!));
      }
    }
  }
  const events = [
    { $case: 'accepted' as const, value: {} },
    { $case: 'released' as const, value: {} },
  ];
  const records = new Map<string, readonly OutRecord[]>([
    [
      topicNames.messages,
      events.map((event) => ({
        key: message,
        value: MessageEvent.encode(MessageEvent.fromPartial({ code: message, at, event })).finish(),
      })),
    ],
    [topicNames.plans, plans],
    [topicNames.outcomes, outcomes],
    [topicNames.reports, reports.sort((a, b) => a.at - b.at).map((one) => recordOf(identity, one))],
  ]);
  return { message, records, figures };
}

const chance = (share: number): boolean => Math.random() < share;
const soon = (meanMs: number): number => -Math.log(1 - Math.random()) * meanMs;

function audienceOf(index: number): Bitmap {
  const positions: number[] = [];
  for (let position = index; position < CHUNK_SIZE; position += platforms.length)
    if (chance(AUDIENCE)) positions.push(position);
  return Bitmap.of(positions);
}

function resultOf(position: number, platform: (typeof platforms)[number], at: Date): DeviceResult {
  const isRefused = chance(REFUSED);
  return {
    position,
    platform,
    hour: hourOf(at),
    displayable: !chance(NOT_DISPLAYABLE),
    result: isRefused ? refusals[platform] : sent,
    deadToken: isRefused ? `token-${position}`.padEnd(140, 'x') : undefined,
    since: undefined,
  };
}

function reportsOf(
  { position, platform, result }: DeviceResult,
  chunk: number,
  sentAt: Date,
  figures: Figures,
): DeviceReport[] {
  if (result !== sent) {
    figures.errors++;
    return [];
  }
  figures.sends++;
  if (!chance(DELIVERED)) return [];
  figures.deliveries++;
  const inTime = (ms: number): number => Math.min(ms, sentAt.getTime() + LATEST_MS);
  const at = inTime(sentAt.getTime() + soon(chance(AWAKE) ? DELIVERY_MS.awake : DELIVERY_MS.asleep));
  const delivered = { chunk, position, platform, kind: ReportKind.REPORT_KIND_DELIVERED, at };
  if (!chance(OPENED_OF_DELIVERED)) return [delivered];
  figures.opens++;
  return [delivered, { ...delivered, kind: ReportKind.REPORT_KIND_OPENED, at: inTime(at + soon(OPENING_MS)) }];
}

function recordOf(
  identity: Pick<Reports, 'message' | 'messageId' | 'account' | 'application'>,
  { chunk, position, platform, kind, at }: DeviceReport,
): OutRecord {
  const columns = { positions: [position], platforms: [platform], at: [Math.floor(at / 1000)], entry: undefined };
  return {
    key: messageChunkKey({ ...identity, chunk }),
    value: Reports.encode({ ...identity, chunk, kind, ...columns, ...noMailColumns }).finish(),
  };
}
