import { type FactReader, facts, ReportKind, Reports } from '@tidings/events';

/** A record of `tidings.reports` with one report of a device. Decoding most of its fields costs more than projecting it, so they are not decoded. */
export interface DeviceReport {
  readonly kind: ReportKind;
  readonly position: number;
  readonly platform: number;
  /** Seconds since 1970 UTC. */
  readonly second: number;
  readonly payload: Uint8Array;
}

/** The chunk of a message that a record concerns. */
export type ReportedChunk = Pick<Reports, 'message' | 'application' | 'chunk'>;

/** Reads records of `tidings.reports` as {@link facts.reports} does; reads records of one delivery or open in a fraction of its time. */
export const reportReader: FactReader<DeviceReport | Reports> = {
  decode: (payload) => deviceReportIn(payload) ?? facts.reports.decode(payload),
  isKnown: (report) => isDeviceReport(report) || facts.reports.isKnown(report),
};

export const isDeviceReport = (report: DeviceReport | Reports): report is DeviceReport => 'position' in report;

export const chunkOf = (report: DeviceReport | Reports): ReportedChunk =>
  isDeviceReport(report) ? Reports.decode(report.payload) : report;

/** Tags of the fields of `Reports` in reports of deliveries and opens: field number and wire type, all below 128 and so a byte each. */
const Tag = {
  Message: (1 << 3) | 2,
  MessageId: (2 << 3) | 0,
  Account: (3 << 3) | 2,
  Application: (4 << 3) | 2,
  Chunk: (5 << 3) | 0,
  Kind: (6 << 3) | 0,
  Positions: (7 << 3) | 2,
  Platforms: (8 << 3) | 2,
  At: (9 << 3) | 2,
} as const;

/** A delivery or an open of one device, its fields in the order in which they are written; undefined for every other form of a record. */
function deviceReportIn(payload: Uint8Array): DeviceReport | undefined {
  const wire = new OrderedFields(payload);
  wire.skipText(Tag.Message);
  wire.skipNumber(Tag.MessageId);
  wire.skipText(Tag.Account);
  wire.skipText(Tag.Application);
  wire.skipNumber(Tag.Chunk);
  const kind: ReportKind = wire.number(Tag.Kind);
  const position = wire.onlyNumber(Tag.Positions);
  const platform = wire.onlyNumber(Tag.Platforms);
  const second = wire.onlyNumber(Tag.At);
  const isOfDevice = kind === ReportKind.REPORT_KIND_DELIVERED || kind === ReportKind.REPORT_KIND_OPENED;
  return isOfDevice && wire.isWhole ? { kind, position, platform, second, payload } : undefined;
}

/** A byte with which a number goes on. */
const GOES_ON = 0x80;
/** Bytes of the largest number of 32 bits. */
const NUMBER_BYTES = 5;

/** The fields of an encoded message, read in ascending order of their tags. Reads nothing beyond its bytes as if they were zeros. */
class OrderedFields {
  readonly #bytes: Uint8Array;
  #at = 0;
  /** Whether every required field was there. */
  #isComplete = true;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  /** Whether the fields that were read are the whole message. */
  get isWhole(): boolean {
    return this.#isComplete && this.#at === this.#bytes.length;
  }

  skipText(tag: number): void {
    if (!this.#begins(tag)) return;
    const length = this.#varint();
    this.#at += length;
  }

  /** A number of 64 bits at most. */
  skipNumber(tag: number): void {
    if (!this.#begins(tag)) return;
    while (this.#bytes[this.#at++]! >= GOES_ON);
  }

  number(tag: number): number {
    return this.#begins(tag) ? this.#varint() : this.#missing();
  }

  /** The number of a packed list of one. */
  onlyNumber(tag: number): number {
    if (!this.#begins(tag)) return this.#missing();
    const end = this.#varint() + this.#at;
    const number = this.#varint();
    return this.#at === end ? number : this.#missing();
  }

  #begins(tag: number): boolean {
    if (this.#bytes[this.#at] !== tag) return false;
    this.#at++;
    return true;
  }

  #missing(): number {
    this.#isComplete = false;
    return 0;
  }

  #varint(): number {
    let number = 0;
    for (let i = 0; i < NUMBER_BYTES; i++) {
      const byte = this.#bytes[this.#at++]!;
      number |= (byte & 0x7f) << (7 * i);
      if (!(byte >= GOES_ON)) return number >>> 0;
    }
    return this.#missing();
  }
}
