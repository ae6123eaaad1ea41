import { describe, expect, it } from '@jest/globals';
import {
  AndroidContent,
  ChromeContent,
  Content,
  FirefoxContent,
  IosContent,
  MacContent,
  MessageAccepted,
  SafariContent,
} from '@tidings/events';
import { isGenuine, messageKeyOf, parseStatisticsHash, variablesOf } from '@tidings/messaging';
import { Attributes, DeviceDescription } from '@tidings/rpc';
import { createSecretKey } from 'node:crypto';
import type { StoredMessage } from '../facts/message-store.ts';
import { inboxAttributes } from './attributes.ts';
import { compileAttributes, writeAttributes } from './compiled-attributes.ts';
import { handedOver } from './event-payload.ts';
import { FieldWriter } from './field-writer.ts';
import { type Recipient, recipientsNow } from './recipient.ts';

const reportKey = createSecretKey(new Uint8Array(32).fill(5));
const text = (by: Readonly<Record<string, string>>) => ({
  entries: Object.entries(by).map(([language, value]) => ({ language, text: value })),
});
const content = Content.fromPartial({
  text: text({ default: 'Hello {{Name||you}}', de: 'Hallo {{Name||du}}' }),
  title: text({ default: 'News' }),
  richMedia: 'A1B2C-3D4E5',
  data: '{"k":1}',
  link: 'https://push.example/s/abc',
  placeholders: '{"City":"Graz"}',
  tags: ['Name'],
  ios: IosContent.fromPartial({ badge: '+2', title: text({ default: 'in {{City}}' }), critical: true }),
  android: AndroidContent.fromPartial({ silent: true, banner: 'https://x/{{Name}}' }),
});
const message: StoredMessage = {
  code: 'AF0B-EEFE4D5E-E445B2E9',
  bucket: 0,
  id: 20_012_343_258n,
  account: 'a',
  accepted: MessageAccepted.fromPartial({ content, shortLink: 'abc', shortLinkTarget: 'https://target/{{Name}}' }),
};
const known = { found: true, language: 'de', token: 'tok', check: 0x010203 };
const recipient = (fields: Partial<DeviceDescription>, platform = 1): Recipient =>
  recipientsNow(
    message,
    { application: 'AAAAA-00001', entry: undefined, chunk: 1, platform, variant: 'alert' },
    {
      applicationTitle: 'News of Graz',
      devices: [{ position: 4, values: ['An na'], device: DeviceDescription.fromPartial({ ...known, ...fields }) }],
    },
  )[0]!;
const handedText = (...of: Parameters<typeof recipient>): string =>
  Buffer.from(handedOver(message, recipient(...of), reportKey)).toString();
const payload = (...of: Parameters<typeof recipient>): Record<string, unknown> =>
  JSON.parse(handedText(...of)) as Record<string, unknown>;

describe('the payload sent to the provider', () => {
  it('is rendered for the device, its part of the statistics hash included', () => {
    const { aps, p } = payload({}) as { aps: object; p: string };
    expect(aps).toMatchObject({ alert: { title: 'in Graz', body: 'Hallo An na' } });
    const hash = parseStatisticsHash(p)!;
    expect(hash.device).toMatchObject({ seq: 65_540, platform: 1 });
    expect(isGenuine(messageKeyOf(reportKey, 'AAAAA-00001', hash), hash.device!, 0x010203)).toBe(true);
    expect(payload({}, 3)).toMatchObject({ message: { token: 'tok', data: { title: 'Hallo An na' } } });
    expect(payload({}, 10)).toMatchObject({ aps: { alert: { title: 'News', body: 'Hallo An na' }, 'url-args': [] } });
    expect(payload({}, 14)).toMatchObject({ to: 'tok', subject: 'News', html: 'Hallo An na' });
    expect(handedText({}, 2)).toBe('{}');
  });

  it('shows the badge of the message, before and after it is settled (R-C9)', () => {
    const badge = (fields: Partial<DeviceDescription>) => (payload(fields)['aps'] as { badge: number }).badge;
    expect(badge({ badge: 3, badgeOf: 'an earlier one' })).toBe(5);
    expect(badge({ badge: 5, badgeOf: message.code })).toBe(5);
  });
});

interface Reader {
  readonly platform: number;
  readonly valueOf: (tag: string) => string | undefined;
}

function attributesFor(accepted: MessageAccepted, { platform, valueOf }: Reader): Attributes {
  const compiled = compileAttributes(accepted, variablesOf(accepted.content!), { platform, language: 'de' });
  const writer = new FieldWriter();
  writeAttributes(writer, compiled, valueOf);
  return Attributes.decode(writer.end());
}

describe('the attributes of an event (R-EV3)', () => {
  it('have the texts of the message in the language of the device', () => {
    const valueOf = (tag: string): string | undefined => (tag === 'Name' ? 'An na/b' : undefined);
    expect(attributesFor(message.accepted, { platform: 1, valueOf })).toMatchObject({
      pushTitle: 'News',
      pushBody: 'Hallo An na/b',
      pushSubtitle: '',
      userData: '{"k":1}',
      url: 'https://push.example/s/abc',
      originalUrl: 'https://target/An%20na%2Fb',
      urlMinimize: 2,
      iosTitle: 'in Graz',
      iosCritical: true,
      iosSilent: false,
      androidSilent: true,
      androidBanner: 'https://x/An%20na/b',
      dynamicContentPlaceholders: '{"City":"Graz"}',
      chromeHeader: '',
      richMediaCode: 'A1B2C-3D4E5',
    });
  });

  it('keep the places of a list for any value of the device', () => {
    const accepted = MessageAccepted.fromPartial({
      content: { safari: SafariContent.fromPartial({ urlArgs: ['', 'a', '{{Name}}', 'b {{Name}}'] }) },
    });
    const argsOf = (name: string) => attributesFor(accepted, { platform: 10, valueOf: () => name }).safariUrlArgs;
    expect([argsOf('An na'), argsOf('')]).toEqual([
      ['', 'a', 'An%20na', 'b An%20na'],
      ['', 'a', '', 'b '],
    ]);
  });

  it('can be encoded for an inbox entry of any expiry', () => {
    const leaving = (removal: bigint) =>
      inboxAttributes({ order: 7n, removal }, MessageAccepted.create(), { platform: 1, language: '' });
    const attributes = leaving(BigInt(Date.parse('2100-01-02T00:00:01Z') / 1000));
    expect(attributes).toEqual({ inboxCode: '7', inboxDate: 2_147_483_647 });
    expect(() => Attributes.encode(Attributes.fromPartial(attributes))).not.toThrow();
    expect(leaving(1_768_435_201n)).toEqual({ inboxCode: '7', inboxDate: 1_768_435_201 });
  });

  it('have the fields of browsers and of macOS, and the segment', () => {
    const own = (name: string) => ({
      title: text({ en: `${name}:T`, de: `${name}: {{Name}}` }),
      text: text({ en: name }),
    });
    const accepted = MessageAccepted.fromPartial({
      filterCode: '52551-F2F42',
      content: {
        chrome: ChromeContent.fromPartial({
          ...own('Chrome'),
          image: 'https://x/{{Name}}',
          durationSeconds: 4_294_967_295,
          rootParams: '{"a":1}',
        }),
        firefox: FirefoxContent.fromPartial({ ...own('Firefox'), rootParams: '{"b":2}' }),
        mac: MacContent.fromPartial({ ...own('Mac'), subtitle: text({ en: 'S' }) }),
        safari: SafariContent.fromPartial(own('Safari')),
      },
    });
    const attributes = attributesFor(accepted, { platform: 11, valueOf: () => 'An na' });
    expect(attributes).toMatchObject({
      chromeHeader: 'Chrome: An na',
      chromeBody: 'Chrome',
      chromeImage: 'https://x/An%20na',
      chromeDuration: 2_147_483_647,
      chromeRootParams: '{"a":1}',
      firefoxRootParams: '{"b":2}',
      firefoxHeader: 'Firefox: An na',
      firefoxBody: 'Firefox',
      segment: '52551-F2F42',
      macTitle: 'Mac: An na',
      macSubtitle: 'S',
      macBody: 'Mac',
      safariTitle: 'Safari: An na',
      safariBody: 'Safari',
    });
  });
});
