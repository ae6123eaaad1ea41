import { hwidCheckOf, hwidHashOf } from '@tidings/audience';
import { messageChunkKey, noMailColumns } from '@tidings/delivery';
import { batcher } from '@tidings/coordination';
import { type MailOpen, ReportKind, Reports, topicNames } from '@tidings/events';
import { chunkOf, type Clock, Fault, createdAtOf, Platform, positionOf, type Seq } from '@tidings/kernel';
import {
  isGenuine,
  type MailRecipient,
  messageKeyOf,
  parseStatisticsHash,
  type StatisticsHash,
} from '@tidings/messaging';
import type { Devices, Messages } from '@tidings/rpc';
import type { IdentityKeys } from '@tidings/runtime';
import { type Broker, microBatcher } from '@tidings/streaming';

const MAX_OPEN = 10_000;
const LOCATED_AT_ONCE = 500;
/** The retention of a hidden message (R-I6): a younger signed one exists without a lookup. */
export const SHORTEST_KEPT_MS = 7 * 86_400_000;

export interface ReportingDevice {
  readonly account: string;
  readonly application: string;
  readonly hwid: string;
}

export interface MailReport {
  readonly kind: ReportKind;
  readonly recipient: MailRecipient & Pick<ReportingDevice, 'account'>;
  readonly open?: MailOpen;
  readonly detail?: string;
}

export interface ReporterDeps {
  readonly broker: Pick<Broker, 'publish'>;
  readonly devices: Pick<Devices, 'locate'>;
  readonly messages: Pick<Messages, 'find'>;
  readonly identity: () => Pick<IdentityKeys, 'device' | 'report'>;
  readonly clock: Clock;
}

export interface Reporter {
  /** Resolves when the report is durable; to false without effect (R-C7, R-C11). */
  report(kind: ReportKind, device: ReportingDevice, hash: StatisticsHash): Promise<boolean>;
  reportMail(report: MailReport): Promise<boolean>;
  readonly open: () => number;
}

export function hashOf(hash: string | undefined): StatisticsHash | undefined {
  if (hash === undefined) return undefined;
  const parsed = parseStatisticsHash(hash);
  if (!parsed) throw Fault.argument('hash is not valid');
  return parsed;
}

type DeviceLocation = Awaited<ReturnType<Devices['locate']>>['locations'][number];

const nameOf = ({ account, application }: ReportingDevice): string => `${account}/${application}`;

function locations(devices: ReporterDeps['devices']): (device: ReportingDevice) => Promise<DeviceLocation | undefined> {
  const locateAll = async (reporting: readonly ReportingDevice[]): Promise<(DeviceLocation | undefined)[]> => {
    const found = new Map<ReportingDevice, DeviceLocation>();
    const locate = async (of: readonly ReportingDevice[]): Promise<void> => {
      const { account, application } = of[0]!;
      const reply = await devices.locate({ account, application, hwids: of.map(({ hwid }) => hwid) });
      for (const [i, device] of of.entries()) {
        const location = reply.locations[i];
        if (location?.found) found.set(device, location);
      }
    };
    await Promise.all([...Map.groupBy(reporting, nameOf).values()].map(locate));
    return reporting.map((device) => found.get(device));
  };
  return batcher(locateAll, { maxItems: LOCATED_AT_ONCE }).submit;
}

function keptMessages({ messages, clock }: Pick<ReporterDeps, 'messages' | 'clock'>) {
  return {
    isYoung: (messageId: bigint): boolean => clock.now() - createdAtOf(messageId) < SHORTEST_KEPT_MS,
    isKept: async (
      { account, application }: Omit<ReportingDevice, 'hwid'>,
      { code, messageId }: Pick<StatisticsHash, 'code' | 'messageId'>,
    ): Promise<boolean> => {
      const { message } = await messages.find({ account, code });
      return message?.id === messageId && message.message!.applications.includes(application);
    },
  };
}

export function openReporter(deps: ReporterDeps): Reporter {
  const { broker, devices, clock, identity } = deps;
  const batcher = microBatcher(broker, topicNames.reports);
  const clicks = microBatcher(broker, topicNames.clicks);
  const locate = locations(devices);

  const { isYoung, isKept } = keptMessages(deps);

  /** A hash without our own part names no device (R-I30). */
  const isSound = async (of: ReportingDevice, hash: StatisticsHash): Promise<boolean> => {
    if (hash.device) {
      const keys = identity();
      const check = hwidCheckOf(hwidHashOf(keys.device, of.account, of.hwid));
      if (!isGenuine(messageKeyOf(keys.report, of.application, hash), hash.device, check)) return false;
      if (isYoung(hash.messageId)) return true;
    }
    return isKept(of, hash);
  };

  const locationOf = async (of: ReportingDevice, hash: StatisticsHash) => {
    if (!(await isSound(of, hash))) return undefined;
    const location = await locate(of);
    if (!location || !hash.device) return location;
    return location.seq === hash.device.seq ? hash.device : undefined;
  };

  const publish = async (
    { seq, platform }: { readonly seq: Seq; readonly platform: number },
    fields: Pick<Reports, 'message' | 'messageId' | 'account' | 'application' | 'kind'> & Partial<Reports>,
  ): Promise<void> => {
    const report: Reports = {
      ...noMailColumns,
      entry: undefined,
      ...fields,
      chunk: chunkOf(seq),
      positions: [positionOf(seq)],
      platforms: [platform],
      at: [Math.floor(clock.now() / 1000)],
    };
    const key = messageChunkKey(report);
    const recordOf = (reports: Reports) => ({ key, value: Reports.encode(reports).finish() });
    if (report.kind !== ReportKind.REPORT_KIND_MAIL_CLICKED) return void (await batcher.publish(recordOf(report)));
    // A link is content, kept shorter than figures: only the topic of clicks has it.
    const counted = batcher.publish(recordOf({ ...report, details: [] }));
    await Promise.all([counted, clicks.publish(recordOf(report))]);
  };

  const publishDevice = async (kind: ReportKind, device: ReportingDevice, hash: StatisticsHash): Promise<boolean> => {
    const location = await locationOf(device, hash);
    if (!location) return false;
    const { account, application } = device;
    await publish(location, { message: hash.code, messageId: hash.messageId, account, application, kind });
    return true;
  };

  const publishMail = async ({ kind, recipient, open, detail }: MailReport): Promise<boolean> => {
    const { account, application, message, messageId, seq } = recipient;
    if (!isYoung(messageId) && !(await isKept(recipient, { code: message, messageId }))) return false;
    const columns = {
      ...(open !== undefined && { opens: [open] }),
      ...(detail !== undefined && { details: [detail] }),
    };
    const platform = Platform.Email;
    await publish({ seq, platform }, { message, messageId, account, application, kind, ...columns });
    return true;
  };

  let underWay = 0;
  const counted = async (publishing: () => Promise<boolean>): Promise<boolean> => {
    if (underWay >= MAX_OPEN)
      throw new Fault('unavailable', 'too many reports wait to be published', { effect: 'none' });
    underWay++;
    try {
      return await publishing();
    } finally {
      underWay--;
    }
  };
  return {
    report: (kind, device, hash) => counted(() => publishDevice(kind, device, hash)),
    reportMail: (report) => counted(() => publishMail(report)),
    open: () => underWay,
  };
}
