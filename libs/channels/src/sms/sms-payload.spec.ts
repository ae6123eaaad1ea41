import { describe, expect, it } from '@jest/globals';
import { Content, LocaleSettings, SmsContent } from '@tidings/events';
import { Platform } from '@tidings/kernel';
import { PayloadWriter } from '@tidings/messaging';
import { ALERT } from '../channel-definition.ts';
import { isMms, smsPayload } from './sms-payload.ts';

const localized = (by: Readonly<Record<string, string>>) => ({
  entries: Object.entries(by).map(([language, text]) => ({ language, text })),
});

const push = (content: Partial<Content>) => ({
  message: 'AF0B-EEFE4D5E-E445B2E9',
  bucket: 0,
  messageId: 7n,
  campaignId: 0n,
  applicationTitle: '',
  entry: undefined,
  platform: Platform.Sms,
  variant: ALERT,
  content: Content.fromPartial(content),
});

const columns = {
  chunk: 0,
  positions: Uint16Array.of(5),
  platform: Platform.Sms,
  checks: new Uint8Array(3),
  tokens: Buffer.from('+4915112345678'),
  tokenEnds: Uint32Array.of(14),
  badges: new Int32Array(0),
  values: Buffer.from('Anna "A"'),
  valueEnds: Uint32Array.of(8),
  tags: 1,
};

const written = (content: Partial<Content>, language = ''): unknown => {
  const { payload, limit } = smsPayload(push(content), language, new Int32Array(4), undefined);
  return JSON.parse(new PayloadWriter().write(payload, columns, 0, limit).toString());
};

describe('the payload of an SMS', () => {
  const text = localized({ default: 'Hello {{Name}}, {{code}}', de: 'Hallo {{Name|Uppercase|Du}}' });
  const common = { text, tags: ['Name'], placeholders: '{"code":4711,"url":"https://b.example/1.png"}' };

  it('is the text of the language, with values of the request and of the device', () => {
    expect(written(common)).toEqual({ text: 'Hello Anna "A", 4711' });
    expect(written(common, 'de')).toEqual({ text: 'Hallo ANNA "A"' });
  });

  it('contains the text, the subject and the media of SMS, by language', () => {
    const sms = SmsContent.fromPartial({
      text: localized({ default: 'By SMS', de: 'Per SMS' }),
      title: localized({ default: 'Subject', de: '' }),
    });
    const fileUrls = ['https://a.example/{{Name}}.png', '{{url}}'];
    const settings = [
      LocaleSettings.fromPartial({ language: 'de', sms: {} }),
      LocaleSettings.fromPartial({ language: 'default', sms: { fileUrls } }),
    ];
    const content = { ...common, sms, settings };
    expect(written(content)).toEqual({
      text: 'By SMS',
      subject: 'Subject',
      media: ['https://a.example/Anna%20%22A%22.png', 'https://b.example/1.png'],
    });
    expect(written(content, 'de')).toEqual({ text: 'Per SMS' });
    expect([isMms(push(content), ''), isMms(push(content), 'de')]).toEqual([true, false]);
  });

  it('is no MMS without a subject and media', () => {
    expect(isMms(push(common), '')).toBe(false);
    expect(isMms(push({ ...common, title: localized({ default: 'Title of a push' }) }), '')).toBe(false);
    expect(isMms(push({ ...common, sms: SmsContent.fromPartial({ title: localized({ default: 'x' }) }) }), '')).toBe(
      true,
    );
  });
});
