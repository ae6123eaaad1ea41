import { type FactReader, facts, ReportKind, Reports } from '@tidings/events';

/** Decoding all fields costs more than projecting it. */
export interface DeviceReport {
  readonly kind: ReportKind;
  readonly position: number;
  readonly platform: number;
  readonly second: number;
  readonly payload: Uint8Array;
}

export type ReportedChunk = Pick<Reports, 'message' | 'application' | 'chunk'>;

export const reportReader: FactReader<DeviceReport | Reports> = {
  decode: (payload) => deviceReportIn(payload) ?? facts.reports.decode(payload),
  isKnown: (report) => isDeviceReport(report) || facts.reports.isKnown(report),
};

export const isDeviceReport = (report: DeviceReport | Reports): report is DeviceReport => 'position' in report;

export const chunkOf = (report: DeviceReport | Reports): ReportedChunk =>
  isDeviceReport(report) ? Reports.decode(report.payload) : report;

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
  return isOfDevice && wire.isConsumed ? { kind, position, platform, second, payload } : undefined;
}

const GOES_ON = 0x80;
const NUMBER_BYTES = 5;

class OrderedFields {
  readonly #bytes: Uint8Array;
  #at = 0;
  #isComplete = true;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  get isConsumed(): boolean {
    return this.#isComplete && this.#at === this.#bytes.length;
  }

  skipText(tag: number): void {
    if (!this.#begins(tag)) return;
    const length = this.#varint();
    this.#at += length;
  }

  skipNumber(tag: number): void {
    if (!this.#begins(tag)) return;
    while (this.#bytes[this.#at++]! >= GOES_ON);
  }

  number(tag: number): number {
    return this.#begins(tag) ? this.#varint() : this.#missing();
  }

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
