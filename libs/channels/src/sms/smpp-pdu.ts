export const Command = {
  genericNack: 0x8000_0000,
  bindTransceiver: 0x09,
  submitSm: 0x04,
  deliverSm: 0x05,
  unbind: 0x06,
  enquireLink: 0x15,
} as const;

export const ANSWER = 0x8000_0000;
export const answerTo = (command: number): number => (command | ANSWER) >>> 0;

export const Status = { ok: 0, invalidCommand: 0x03, notBound: 0x04, bindFailed: 0x0d, temporaryError: 0x64 } as const;

export const HEADER_BYTES = 16;
const MAX_BYTES = 65_536;
const SEQUENCE_MAX = 0x7fff_ffff;

export const nextSequence = (sequence: number): number => (sequence >= SEQUENCE_MAX ? 1 : sequence + 1);

const NOTHING = Buffer.alloc(0);

export function encodePdu(command: number, sequence: number, body: Uint8Array = NOTHING, status = 0): Buffer {
  const bytes = Buffer.allocUnsafe(HEADER_BYTES + body.length);
  bytes.writeUInt32BE(bytes.length, 0);
  bytes.writeUInt32BE(command, 4);
  bytes.writeUInt32BE(status, 8);
  bytes.writeUInt32BE(sequence, 12);
  bytes.set(body, HEADER_BYTES);
  return bytes;
}

export interface PduBody {
  readonly bytes: Buffer;
  readonly from: number;
  readonly to: number;
}

export type PduHandler = (command: number, status: number, sequence: number, body: PduBody) => boolean;

export class PduReader {
  #rest: Buffer = NOTHING;

  /** @throws RangeError for an impossible length: the stream cannot be read further */
  read(chunk: Buffer, take: PduHandler): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const body = { bytes, from: 0, to: 0 };
    let at = 0;
    while (bytes.length - at >= 4) {
      const length = bytes.readUInt32BE(at);
      if (length < HEADER_BYTES || length > MAX_BYTES) throw new RangeError(`a PDU of ${length} bytes`);
      const end = at + length;
      if (bytes.length < end) break;
      const [command, status, sequence] = [
        bytes.readUInt32BE(at + 4),
        bytes.readUInt32BE(at + 8),
        bytes.readUInt32BE(at + 12),
      ];
      body.from = at + HEADER_BYTES;
      body.to = end;
      if (!take(command, status, sequence, body)) return;
      at = end;
    }
    // The bytes are the caller's.
    this.#rest = at === bytes.length ? NOTHING : Buffer.from(bytes.subarray(at));
  }
}

const cString = (text: string): Buffer => Buffer.from(`${text.replaceAll('\0', '')}\0`, 'latin1');

class Fields {
  readonly #body: Buffer;
  #at = 0;

  constructor(body: Buffer) {
    this.#body = body;
  }

  get remaining(): number {
    return Math.max(0, this.#body.length - this.#at);
  }

  byte(): number {
    return this.#body[this.#at++] ?? 0;
  }

  word(): number {
    return (this.byte() << 8) | this.byte();
  }

  text(): string {
    const end = this.#body.indexOf(0, this.#at);
    const to = end < 0 ? this.#body.length : end;
    const text = this.#body.toString('latin1', Math.min(this.#at, to), to);
    this.#at = to + 1;
    return text;
  }

  skip(length: number): void {
    this.#at += length;
  }

  skipText(): void {
    const end = this.#body.indexOf(0, this.#at);
    this.#at = (end < 0 ? this.#body.length : end) + 1;
  }

  bytes(length: number): Buffer {
    const bytes = this.#body.subarray(this.#at, this.#at + length);
    this.#at += length;
    return bytes;
  }
}

export interface SmppAddress {
  readonly ton: number;
  readonly npi: number;
  readonly address: string;
}

const SHORT_CODE_DIGITS = 8;

export function senderAddress(sender: string): SmppAddress {
  if (/^\+\d+$/.test(sender)) return { ton: 1, npi: 1, address: sender.slice(1) };
  if (!/^\d+$/.test(sender)) return { ton: 5, npi: 0, address: sender };
  return sender.length <= SHORT_CODE_DIGITS ? { ton: 3, npi: 0, address: sender } : { ton: 1, npi: 1, address: sender };
}

const addressBytes = ({ ton, npi, address }: SmppAddress): Buffer =>
  Buffer.concat([Buffer.from([ton, npi]), cString(address)]);

const INTERFACE_VERSION = 0x34;

export const bindBody = (systemId: string, password: string): Buffer =>
  Buffer.concat([
    cString(systemId),
    cString(password),
    cString(''),
    Buffer.from([INTERFACE_VERSION, 0, 0]),
    cString(''),
  ]);

const HAS_HEADER = 0x40;
const FINAL_RECEIPT = 1;

export const submitHead = (sender: SmppAddress): Buffer => Buffer.concat([cString(''), addressBytes(sender)]);

export interface Submission {
  readonly head: Buffer;
  readonly to: string;
  readonly dataCoding: number;
  readonly header: Buffer | undefined;
  readonly userData: Buffer;
}

const PLUS = '+'.charCodeAt(0);

const scratch = Buffer.allocUnsafeSlow(1024);

/** The result is valid until the next call; its length field ends it. */
export function submitPdu({ head, to, dataCoding, header, userData }: Submission): Buffer {
  const headerBytes = header?.length ?? 0;
  const skipped = to.charCodeAt(0) === PLUS ? 1 : 0;
  const length = HEADER_BYTES + head.length + 2 + to.length - skipped + 1 + 10 + headerBytes + userData.length;
  const pdu = length <= scratch.length ? scratch : Buffer.allocUnsafe(length);
  pdu.writeUInt32BE(length, 0);
  pdu.writeUInt32BE(Command.submitSm, 4);
  pdu.writeUInt32BE(Status.ok, 8);
  pdu.set(head, HEADER_BYTES);
  let at = HEADER_BYTES + head.length;
  pdu[at++] = 1;
  pdu[at++] = 1;
  for (let digit = skipped; digit < to.length; digit++) pdu[at++] = to.charCodeAt(digit);
  pdu[at++] = 0;
  pdu[at++] = header ? HAS_HEADER : 0;
  // protocol_id, priority_flag, and empty schedule_delivery_time and validity_period
  for (let field = 0; field < 4; field++) pdu[at++] = 0;
  pdu[at++] = FINAL_RECEIPT;
  pdu[at++] = 0;
  pdu[at++] = dataCoding;
  pdu[at++] = 0;
  pdu[at++] = headerBytes + userData.length;
  if (header) {
    pdu.set(header, at);
    at += headerBytes;
  }
  pdu.set(userData, at);
  return pdu;
}

export function setSequence(bytes: Uint8Array, at: number, sequence: number): void {
  bytes[at + 12] = sequence >>> 24;
  bytes[at + 13] = sequence >>> 16;
  bytes[at + 14] = sequence >>> 8;
  bytes[at + 15] = sequence;
}

export interface ShortMessage {
  readonly from: string;
  readonly to: string;
  readonly esmClass: number;
  readonly registeredDelivery: number;
  readonly dataCoding: number;
  readonly userData: Buffer;
  readonly optional: ReadonlyMap<number, Buffer>;
}

export const Tag = { receiptedMessageId: 0x001e, messagePayload: 0x0424, messageState: 0x0427 } as const;

const none: ReadonlyMap<number, Buffer> = new Map();

/** Never throws: missing fields are empty. */
export function readShortMessage(body: Buffer): ShortMessage {
  const fields = new Fields(body);
  fields.skipText();
  fields.skip(2);
  const from = fields.text();
  fields.skip(2);
  const to = fields.text();
  const esmClass = fields.byte();
  fields.skip(2);
  fields.skipText();
  fields.skipText();
  const registeredDelivery = fields.byte();
  fields.byte();
  const dataCoding = fields.byte();
  fields.byte();
  const shortMessage = fields.bytes(fields.byte());
  if (fields.remaining < 4)
    return { from, to, esmClass, registeredDelivery, dataCoding, userData: shortMessage, optional: none };
  const optional = new Map<number, Buffer>();
  while (fields.remaining >= 4) {
    const tag = fields.word();
    optional.set(tag, fields.bytes(fields.word()));
  }
  const payload = optional.get(Tag.messagePayload);
  const userData = shortMessage.length === 0 && payload ? payload : shortMessage;
  return { from, to, esmClass, registeredDelivery, dataCoding, userData, optional };
}

export function readMessageId({ bytes, from, to }: PduBody): string {
  const zero = bytes.indexOf(0, from);
  return bytes.toString('latin1', from, zero < 0 ? to : Math.min(zero, to));
}
