/** Written apart from the platform's own SMPP, so that a mistake in one shows. */
export const COMMAND = {
  bindTransceiver: 0x0000_0009,
  submit: 0x0000_0004,
  deliver: 0x0000_0005,
  unbind: 0x0000_0006,
  enquire: 0x0000_0015,
} as const;
export const ignorableCommands = ['bindTransceiver', 'submit', 'enquire'] as const;
export type IgnoredCommand = (typeof ignorableCommands)[number];
export const RESPONSE = 0x8000_0000;

export interface Received {
  readonly command: number;
  readonly status: number;
  readonly sequence: number;
  readonly body: Buffer;
}

/** With the rest of the bytes. */
export function takePdus(bytes: Buffer): { readonly pdus: Received[]; readonly rest: Buffer } {
  const pdus: Received[] = [];
  let rest = bytes;
  while (rest.length >= 16 && rest.length >= rest.readUInt32BE(0) && rest.readUInt32BE(0) >= 16) {
    const length = rest.readUInt32BE(0);
    pdus.push({
      command: rest.readUInt32BE(4),
      status: rest.readUInt32BE(8),
      sequence: rest.readUInt32BE(12),
      body: rest.subarray(16, length),
    });
    rest = rest.subarray(length);
  }
  return { pdus, rest };
}

export function pduOf(command: number, status: number, sequence: number, body: Uint8Array = Buffer.alloc(0)): Buffer {
  const header = Buffer.alloc(16);
  [16 + body.length, command >>> 0, status, sequence].forEach((value, i) => header.writeUInt32BE(value, i * 4));
  return Buffer.concat([header, body]);
}

export const cText = (text: string): Buffer => Buffer.from(`${text}\0`, 'latin1');

export interface Submitted {
  readonly from: string;
  /** With its `+`. */
  readonly to: string;
  readonly wantsReceipt: boolean;
  readonly dataCoding: number;
  /** 1 of 1 for a single SMS. */
  readonly part: number;
  readonly parts: number;
  readonly reference: number;
  readonly userData: Buffer;
}

/** Undefined if it is cut off. */
export function submittedIn(body: Buffer): Submitted | undefined {
  let at = 0;
  const text = (): string => {
    const end = body.indexOf(0, at);
    const found = body.toString('latin1', at, end);
    at = end < 0 ? body.length + 1 : end + 1;
    return found;
  };
  const byte = (): number => body[at++] ?? 0;
  text();
  at += 2;
  const from = text();
  at += 2;
  const to = text();
  const esmClass = byte();
  at += 2;
  text();
  text();
  const registered = byte();
  at += 1;
  const dataCoding = byte();
  at += 1;
  const length = byte();
  if (body.length !== at + length) return undefined;
  const short = body.subarray(at, at + length);
  const hasHeader = (esmClass & 0x40) !== 0;
  const header = hasHeader ? short.subarray(0, (short[0] ?? 0) + 1) : Buffer.alloc(0);
  return {
    from,
    to: `+${to}`,
    wantsReceipt: (registered & 3) === 1,
    dataCoding,
    reference: header[3] ?? 0,
    parts: header[4] ?? 1,
    part: header[5] ?? 1,
    userData: short.subarray(header.length),
  };
}

export function receiptBody(from: string, to: string, text: string): Buffer {
  const message = Buffer.from(text, 'latin1');
  const address = (digits: string): Buffer => Buffer.concat([Buffer.from([1, 1]), cText(digits.replace('+', ''))]);
  const esmReceipt = 0x04;
  return Buffer.concat([
    ...[cText(''), address(from), address(to), Buffer.from([esmReceipt, 0, 0]), cText(''), cText('')],
    ...[Buffer.from([0, 0, 0, 0, message.length]), message],
  ]);
}
