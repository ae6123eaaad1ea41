import { checkOf, personOf } from '@tidings/audience';
import { type ReportKind, Reports, topicNames } from '@tidings/events';
import { chunkOf, type Clock, Fault, positionOf } from '@tidings/kernel';
import { parseStatisticsHash, type StatisticsHash } from '@tidings/messaging';
import type { Devices } from '@tidings/rpc';
import { type Broker, microBatcher } from '@tidings/streaming';
import type { KeyObject } from 'node:crypto';

/** Reports that are not durable yet: each waits for the registry, or for the topic. */
const MAX_OPEN = 10_000;

/** A device that reports. */
export interface ReportingDevice {
  readonly account: string;
  readonly application: string;
  readonly hwid: string;
}

export interface ReporterParts {
  readonly broker: Pick<Broker, 'publish'>;
  readonly devices: Pick<Devices, 'locate'>;
  /** The key that ids of devices are made with. */
  readonly deviceKey: () => KeyObject;
  readonly clock: Clock;
}

/** What devices report about messages, as facts on `tidings.reports`. */
export interface Reporter {
  /** Resolves when the report is durable. A device that nobody knows reports nothing (R-C7). @throws Fault `unavailable` where too many wait */
  report(kind: ReportKind, device: ReportingDevice, hash: StatisticsHash): Promise<void>;
  /** How many are not durable yet. */
  readonly open: () => number;
}

/** What a hash says; undefined where none was given (R-C11). */
export function hashOf(hash: string | undefined): StatisticsHash | undefined {
  if (hash === undefined) return undefined;
  const parsed = parseStatisticsHash(hash);
  if (!parsed) throw Fault.argument('hash is not valid');
  return parsed;
}

export function openReporter({ broker, devices, deviceKey, clock }: ReporterParts): Reporter {
  const batcher = microBatcher(broker, topicNames.reports);

  /** The hash says where the device stands, if it was made for this very device; otherwise the registry knows (architecture 5). */
  const locate = async (of: ReportingDevice, hash: StatisticsHash) => {
    const named = hash.device;
    if (named?.check === checkOf(personOf(deviceKey(), of.account, of.hwid))) return named;
    const { locations } = await devices.locate({ account: of.account, application: of.application, hwids: [of.hwid] });
    const [location] = locations;
    return location?.found === true ? location : undefined;
  };

  const publish = async (kind: ReportKind, device: ReportingDevice, hash: StatisticsHash): Promise<void> => {
    const place = await locate(device, hash);
    if (!place) return;
    const chunk = chunkOf(place.seq);
    const report: Reports = {
      message: hash.code,
      messageId: hash.messageId,
      account: device.account,
      application: device.application,
      chunk,
      kind,
      positions: [positionOf(place.seq)],
      platforms: [place.platform],
      at: [Math.floor(clock.now() / 1000)],
    };
    await batcher.publish({
      key: `${hash.code}/${device.application}/${chunk}`,
      value: Reports.encode(report).finish(),
    });
  };

  let underWay = 0;
  return {
    async report(kind, device, hash) {
      if (underWay >= MAX_OPEN)
        throw new Fault('unavailable', 'too many reports wait to be published', { effect: 'none' });
      underWay++;
      try {
        await publish(kind, device, hash);
      } finally {
        underWay--;
      }
    },
    open: () => underWay,
  };
}
