import { Content, IosContent, type LocalizedEntry, type SendBatch } from '@tidings/events';

export interface TestDevice {
  readonly position: number;
  readonly token: string;
  readonly language?: string;
  readonly values?: readonly string[];
  readonly displayable?: boolean;
  readonly gone?: boolean;
  readonly badge?: number;
  readonly oversized?: number;
  readonly columns?: ReadonlyMap<string, string>;
}

export interface TestSlice {
  readonly number: number;
  readonly devices: readonly TestDevice[];
}

const empty = new Uint8Array();

const texts = (by: Readonly<Record<string, string>>): { entries: LocalizedEntry[] } => ({
  entries: Object.entries(by).map(([language, text]) => ({ language, text })),
});

export const content = (fields: Partial<Content> = {}): Content => ({
  ...Content.decode(empty),
  text: texts({ default: 'Hello' }),
  ...fields,
});
export const ios = (fields: Partial<IosContent> = {}): IosContent => ({ ...IosContent.decode(empty), ...fields });

const u32 = (numbers: readonly number[]): Buffer => Buffer.from(Uint32Array.from(numbers).buffer);

function ends(parts: readonly string[]): Buffer {
  let end = 0;
  return u32(parts.map((part) => (end += Buffer.byteLength(part))));
}

function bits(flags: readonly boolean[]): Buffer {
  const bytes = Buffer.alloc(Math.ceil(flags.length / 8));
  flags.forEach((flag, i) => {
    if (flag) bytes[i >>> 3]! |= 1 << (i & 7);
  });
  return bytes;
}

export function sendBatch(slices: readonly TestSlice[], fields: Partial<SendBatch> = {}): SendBatch {
  const devices = slices.flatMap((slice) => slice.devices);
  const languages = [...new Set(['', ...devices.map(({ language = '' }) => language)])];
  const values = devices.flatMap((device) => device.values ?? []);
  const columns = devices.flatMap((device) => [...(device.columns?.values() ?? [])]);
  const badges = devices.some(({ badge }) => badge !== undefined) ? devices.map(({ badge = 0 }) => badge) : [];
  let first = 0;
  return {
    message: 'AF0B-EEFE4D5E-E445B2E9',
    messageId: 20_012_343_258n,
    campaignId: 0n,
    account: 'default',
    application: 'AAAAA-00000',
    bucket: 0,
    sendRate: 0,
    applicationTitle: 'Example',
    entry: undefined,
    chunk: 0,
    platform: 1,
    variant: 'alert',
    slices: slices.map(({ number, devices: { length: count } }) => ({
      number,
      first: (first += count) - count,
      count,
    })),
    positions: Buffer.from(Uint16Array.from(devices, ({ position }) => position).buffer),
    tokens: Buffer.from(devices.map(({ token }) => token).join('')),
    tokenEnds: ends(devices.map(({ token }) => token)),
    languages: Buffer.from(devices.map(({ language = '' }) => languages.indexOf(language))),
    languageNames: languages,
    values: Buffer.from(values.join('')),
    valueEnds: ends(values),
    columnNames: [...(devices[0]?.columns?.keys() ?? [])],
    columns: Buffer.from(columns.join('')),
    columnEnds: ends(columns),
    displayable: bits(devices.map(({ displayable = true }) => displayable)),
    gone: bits(devices.map(({ gone = false }) => gone)),
    checks: Buffer.from(devices.flatMap(({ position }) => [1, position >>> 8, position & 255])),
    badges: Buffer.from(Int32Array.from(badges).buffer),
    oversized: Buffer.from(devices.map(({ oversized = 0 }) => oversized)),
    content: content(),
    credential: { application: 'AAAAA-00000', platform: 1, version: 1 },
    releasedAt: undefined,
    atMostOnce: false,
    marketing: false,
    outcomesAgain: false,
    ...fields,
  };
}
