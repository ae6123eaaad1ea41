import { AndroidContent, Content, IosContent, MacContent, type LocalizedEntry } from '@tidings/events';
import { isGenuine, messageKeyOf, type OutgoingMessage, parseStatisticsHash, PayloadWriter } from '@tidings/messaging';
import { createSecretKey } from 'node:crypto';
import { ALERT, type ChannelDefinition } from '../channel-definition.ts';

const empty = new Uint8Array();

export const texts = (by: Readonly<Record<string, string>>): { entries: LocalizedEntry[] } => ({
  entries: Object.entries(by).map(([language, text]) => ({ language, text })),
});

export const content = (fields: Partial<Content> = {}): Content => ({
  ...Content.decode(empty),
  text: texts({ default: 'Hello' }),
  ...fields,
});
export const ios = (fields: Partial<IosContent> = {}): IosContent => ({ ...IosContent.decode(empty), ...fields });
export const android = (fields: Partial<AndroidContent> = {}): AndroidContent => ({
  ...AndroidContent.decode(empty),
  ...fields,
});

export const mac = (fields: Partial<MacContent> = {}): MacContent => ({ ...MacContent.decode(empty), ...fields });

export interface TestDevice {
  readonly values?: readonly string[];
  readonly badge?: number;
  readonly language?: string;
  readonly platform?: number;
  readonly variant?: string;
  readonly token?: string;
  readonly ageSeconds?: number;
  readonly entry?: OutgoingMessage['entry'];
}

const messageOf = (fields: Partial<Content>): OutgoingMessage => ({
  message: 'AF0B-EEFE4D5E-E445B2E9',
  bucket: 0,
  messageId: 20_012_343_258n,
  campaignId: 961_234n,
  applicationTitle: '{{Example}}',
  entry: undefined,
  content: content(fields),
});

const APPLICATION = 'AAAAA-00000';
const SEQ = 66;
const CHECK = 0x010042;
export const TOKEN = 'a:"b';
const reportKey = createSecretKey(new Uint8Array(32).fill(5));

export function written(
  definition: ChannelDefinition,
  fields: Partial<Content>,
  {
    values = [],
    badge,
    language = '',
    platform = definition.platforms[0]!,
    variant = ALERT,
    token: text = TOKEN,
    ageSeconds = 0,
    entry,
  }: TestDevice = {},
): { readonly body: Buffer; readonly limit: number } {
  const message = messageOf(fields);
  const { message: code, messageId, campaignId } = message;
  const key = messageKeyOf(reportKey, APPLICATION, { code, messageId, campaignId });
  const { payload, limit } = definition.compile({ ...message, entry, platform, variant, ageSeconds }, language, key);
  const token = Buffer.from(text);
  let end = 0;
  const columns = {
    chunk: 0,
    positions: Uint16Array.of(SEQ),
    platform,
    checks: Uint8Array.of(CHECK >>> 16, (CHECK >>> 8) & 0xff, CHECK & 0xff),
    tokens: token,
    tokenEnds: Uint32Array.of(token.length),
    values: Buffer.from(values.join('')),
    valueEnds: Uint32Array.from(values, (value) => (end += Buffer.byteLength(value))),
    tags: values.length,
    badges: badge === undefined ? new Int32Array() : Int32Array.of(badge),
  };
  return { body: new PayloadWriter().write(payload, columns, 0, limit), limit };
}

export function isHashOf(hash: unknown, platform: number): boolean {
  const parsed = parseStatisticsHash(String(hash));
  if (parsed?.device?.seq !== SEQ || parsed.device.platform !== platform) return false;
  return isGenuine(messageKeyOf(reportKey, APPLICATION, parsed), parsed.device, CHECK);
}
