import { createSecretKey } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { Content, EnqueuedKind, EventDetails, MessageAccepted } from '@tidings/events';
import { Platform } from '@tidings/kernel';
import { Attributes, DeviceDescription, WebhookRequest } from '@tidings/rpc';
import type { StoredMessage } from '../facts/message-store.ts';
import type { DueEvent } from './due-event.ts';
import { eventMaker } from './make.ts';
import type { OutgoingEvent } from './outgoing-event.ts';

const text = (name: string) => ({
  entries: [
    { language: 'default', text: `${name} in English` },
    { language: 'de', text: `${name} für {{Name}}` },
  ],
});
const shown = (name: string): string => `${name} für Ann`;
const picture = (name: string): string => `https://example.com/${name}/{{Name}}.png`;
const shownPicture = (name: string): string => `https://example.com/${name}/Ann.png`;
const titled = (name: string) => ({ title: text(`${name} title`), text: text(`${name} text`) });

const content = Content.fromPartial({
  title: text('title'),
  subtitle: text('subtitle'),
  text: text('text'),
  tags: ['Name'],
  data: '{"u":1}',
  deepLinkParams: '{"d":1}',
  placeholders: '{"p":1}',
  richMedia: 'A1B2C-3D4E5',
  link: 'https://example.com/s/abc',
  inbox: { image: picture('inbox') },
  liveActivity: { id: 'match' },
  ios: {
    ...titled('ios'),
    subtitle: text('ios subtitle'),
    attachment: picture('ios'),
    critical: true,
    silent: true,
    rootParams: '{"i":1}',
  },
  android: { ...titled('android'), banner: picture('android'), silent: true, soundOff: true, rootParams: '{"a":1}' },
  mac: { ...titled('mac'), subtitle: text('mac subtitle'), rootParams: '{"m":1}' },
  chrome: { ...titled('chrome'), image: picture('chrome'), durationSeconds: 30, rootParams: '{"c":1}' },
  firefox: { ...titled('firefox'), rootParams: '{"f":1}' },
  safari: { ...titled('safari'), action: 'Read', urlArgs: ['{{Name}}'] },
  whatsApp: { template: 'order_shipped', body: [{ name: '1', text: '{{Name}}' }] },
  kakao: { template: 'ORDER_SHIPPED', values: [{ name: 'name', text: '{{Name}}' }] },
});
const accepted = MessageAccepted.fromPartial({
  content,
  campaignId: 17n,
  filterCode: '52551-F2F42',
  geozone: 31n,
  shortLink: 'abc',
  shortLinkTarget: 'https://example.com/{{Name}}',
});

const expected: Readonly<Record<keyof Attributes, Attributes[keyof Attributes]>> = {
  segment: '52551-F2F42',
  inboxCode: '7',
  userId: 'user-1',
  userData: '{"u":1}',
  deepLinkParams: '{"d":1}',
  inboxDate: 1_768_435_201,
  inboxImage: shownPicture('inbox'),
  dynamicContentPlaceholders: '{"p":1}',
  url: 'https://example.com/s/abc',
  geozone: 31,
  originalUrl: 'https://example.com/Ann',
  richMediaCode: 'A1B2C-3D4E5',
  urlMinimize: 2,
  liveActivityId: 'match',
  androidBanner: shownPicture('android'),
  androidSilent: true,
  androidHeader: shown('android title'),
  androidBody: shown('android text'),
  androidSoundOff: true,
  androidRootParams: '{"a":1}',
  chromeHeader: shown('chrome title'),
  chromeBody: shown('chrome text'),
  chromeRootParams: '{"c":1}',
  chromeDuration: 30,
  chromeImage: shownPicture('chrome'),
  firefoxHeader: shown('firefox title'),
  firefoxBody: shown('firefox text'),
  firefoxRootParams: '{"f":1}',
  iosTitle: shown('ios title'),
  iosBody: shown('ios text'),
  iosCritical: true,
  iosAttachment: shownPicture('ios'),
  iosLiveActivityId: 'match',
  iosSubtitle: shown('ios subtitle'),
  iosSilent: true,
  iosRootParams: '{"i":1}',
  safariUrlArgs: ['Ann'],
  safariTitle: shown('safari title'),
  safariBody: shown('safari text'),
  safariAction: 'Read',
  macRootParams: '{"m":1}',
  macSubtitle: shown('mac subtitle'),
  macTitle: shown('mac title'),
  macBody: shown('mac text'),
  pushTitle: shown('title'),
  pushBody: shown('text'),
  pushSubtitle: shown('subtitle'),
};

const AT = 1_768_392_000;
const entry = { order: 7n, removal: 1_768_435_201n };
const details = EventDetails.fromPartial({ category: 'C', code: '1', name: 'N', text: 'https://example.com/' });

async function made(of: Partial<DueEvent['enqueued']>, message: MessageAccepted = accepted): Promise<WebhookRequest> {
  const known: StoredMessage = { code: 'AF0B-EEFE4D5E-E445B2E9', bucket: 0, id: 20n, account: 'a', accepted: message };
  const device = DeviceDescription.fromPartial({ found: true, hwid: 'device-1', userId: 'user-1', language: 'de' });
  const maker = eventMaker({
    devices: {
      describe: async ({ tags }) => ({
        devices: [{ ...device, token: 'token', values: tags.map(() => 'Ann') }],
        applicationTitle: 'News',
        mailFrom: 'news@example.com',
        badges: [],
      }),
    },
    sentValues: { find: async () => ({ found: [] }) },
    messages: { find: async (ids) => new Map([...ids].map((id) => [id, known])) },
    reportKey: createSecretKey(new Uint8Array(32).fill(5)),
  });
  const enqueued = {
    message: known.code,
    bucket: 0,
    application: 'AAAAA-00001',
    chunk: 1,
    kind: EnqueuedKind.ENQUEUED_KIND_SENT,
    platform: Platform.iOS,
    variant: 'alert',
    slice: 0,
    entry,
    details,
    ...of,
  };
  const [event] = await maker.make('a', [{ enqueued, position: 4, at: AT }]);
  return WebhookRequest.decode((event as OutgoingEvent).bytes);
}

describe('an event', () => {
  it('has every attribute of the specification whose source is known (R-EV3)', async () => {
    const { attributes } = await made({ kind: EnqueuedKind.ENQUEUED_KIND_INBOX_READ });
    expect(Object.keys(expected).toSorted()).toEqual(Object.keys(Attributes.fromPartial({})).toSorted());
    const defaults = Attributes.fromPartial({});
    const unset = Object.entries(defaults).filter(
      ([name, value]) => JSON.stringify(expected[name as keyof Attributes]) === JSON.stringify(value),
    );
    expect(unset).toEqual([]);
    expect(attributes).toEqual(expected);
  });

  it('has every other field of the specification, and no journey', async () => {
    const {
      attributes: _,
      uuid,
      ...fields
    } = await made({
      kind: EnqueuedKind.ENQUEUED_KIND_OPENED,
      entry: undefined,
    });
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(fields).toEqual({
      eventName: 'Push Opened',
      messageId: 20n,
      messageCode: 'AF0B-EEFE4D5E-E445B2E9',
      campaignId: 17n,
      platform: 'IOS',
      applicationCode: 'AAAAA-00001',
      hwid: 'device-1',
      userId: 'user-1',
      payload: '{}',
      timestamp: new Date(AT * 1000),
      journeyTitle: '',
      journeyPointTitle: '',
    });
  });

  it('contains the open action on the platform of its device, in the language of the device (R-O1, R-O4)', async () => {
    const own = MessageAccepted.fromPartial({
      ...accepted,
      content: Content.fromPartial({
        ...content,
        android: { ...content.android, openAction: { link: 'https://example.com/s/own' } },
        chrome: { ...content.chrome, openAction: { richMedia: 'B1B2C-3D4E5' } },
        settings: [{ language: 'de', android: { banner: picture('german') }, ios: { silent: false } }],
      }),
      actionLinks: [{ platform: Platform.Android, code: 'own', target: 'https://example.com/own/{{Name}}' }],
    });
    const on = async (platform: number) =>
      (await made({ platform, kind: EnqueuedKind.ENQUEUED_KIND_DELIVERED }, own)).attributes;
    expect(await on(Platform.Android)).toMatchObject({
      url: 'https://example.com/s/own',
      originalUrl: 'https://example.com/own/Ann',
      urlMinimize: 2,
      richMediaCode: '',
      androidBanner: shownPicture('german'),
      androidHeader: shown('android title'),
      iosSilent: false,
    });
    expect(await on(Platform.Chrome)).toMatchObject({
      url: '',
      originalUrl: '',
      urlMinimize: 0,
      richMediaCode: 'B1B2C-3D4E5',
    });
    expect(await on(Platform.iOS)).toMatchObject({ url: 'https://example.com/s/abc', richMediaCode: 'A1B2C-3D4E5' });
  });

  it.each([
    ['Push Delivered', EnqueuedKind.ENQUEUED_KIND_DELIVERED],
    ['Push Opened', EnqueuedKind.ENQUEUED_KIND_OPENED],
  ])('contains the inbox entry of its message, with the removal of the block of its device, in %s', async (_, kind) => {
    const { payload, attributes } = await made({ kind });
    expect([payload, attributes]).toEqual(['{}', expected]);
    const removals = [{ platform: 0, language: 'de', removalDay: 20_000 }];
    const inbox = { ...content.inbox!, removals };
    const own = await made({ kind }, { ...accepted, content: { ...content, inbox } });
    expect(own.attributes).toMatchObject({ inboxCode: '7', inboxDate: 20_000 * 86_400 + 1 });
  });

  it('keeps the default of a geozone that is not an int32', async () => {
    const far = { ...accepted, geozone: 2n ** 40n };
    expect((await made({ kind: EnqueuedKind.ENQUEUED_KIND_DELIVERED }, far)).attributes!.geozone).toBe(0);
  });
});

describe('the events of the specification (R-EV2)', () => {
  const { iOS, Email, Sms, WhatsApp, Line, Kakao } = Platform;
  const failure = '{"category":"C","code":"1","name":"N"}';
  const inbox = '{"inbox_code":"7"}';
  const click = 'https://example.com/';
  const kinds = EnqueuedKind;
  it.each([
    ['Push Delivered', kinds.ENQUEUED_KIND_DELIVERED, iOS, '{}'],
    ['Push Opened', kinds.ENQUEUED_KIND_OPENED, iOS, '{}'],
    ['Push Failed', kinds.ENQUEUED_KIND_FAILED, iOS, failure],
    [
      'Email Sent',
      kinds.ENQUEUED_KIND_SENT,
      Email,
      JSON.stringify({ subject: shown('title'), from: 'news@example.com' }),
    ],
    ['Email Delivered', kinds.ENQUEUED_KIND_DELIVERED, Email, '{}'],
    ['Email Failed', kinds.ENQUEUED_KIND_FAILED, Email, failure],
    ['Email Bounced', kinds.ENQUEUED_KIND_BOUNCED, Email, '{"type":"soft","category":"C","code":"1","text":"N"}'],
    ['Email Opened', kinds.ENQUEUED_KIND_MAIL_OPENED, Email, '{"machine":false}'],
    ['Email Clicked', kinds.ENQUEUED_KIND_MAIL_CLICKED, Email, JSON.stringify({ url: click })],
    ['Email Unsubscribed', kinds.ENQUEUED_KIND_MAIL_UNSUBSCRIBED, Email, '{"category":"C"}'],
    ['Email Complained', kinds.ENQUEUED_KIND_MAIL_COMPLAINED, Email, '{}'],
    ['SMS Delivered', kinds.ENQUEUED_KIND_DELIVERED, Sms, '{}'],
    ['SMS Failed', kinds.ENQUEUED_KIND_FAILED, Sms, failure],
    ['WhatsApp Delivered', kinds.ENQUEUED_KIND_DELIVERED, WhatsApp, '{}'],
    ['WhatsApp Failed', kinds.ENQUEUED_KIND_FAILED, WhatsApp, failure],
    ['LINE Failed', kinds.ENQUEUED_KIND_FAILED, Line, failure],
    ['Kakao Failed', kinds.ENQUEUED_KIND_FAILED, Kakao, failure],
    ['Inbox Delivered', kinds.ENQUEUED_KIND_INBOX_DELIVERED, iOS, inbox],
    ['Inbox Read', kinds.ENQUEUED_KIND_INBOX_READ, iOS, inbox],
    ['Inbox Opened', kinds.ENQUEUED_KIND_INBOX_OPENED, iOS, inbox],
    ['Inbox Deleted', kinds.ENQUEUED_KIND_INBOX_DELETED, iOS, inbox],
  ])('include %s', async (eventName, kind, platform, payload) => {
    const isInbox = eventName.startsWith('Inbox');
    const event = await made({ kind, platform, entry: isInbox ? entry : undefined });
    expect(event).toMatchObject({ eventName, payload });
  });

  it.each([
    ['Push Sent', iOS, 'aps'],
    ['SMS Sent', Sms, 'text'],
    ['LINE Sent', Line, 'messages'],
    ['WhatsApp Sent', WhatsApp, 'order_shipped'],
    ['Kakao Sent', Kakao, 'ORDER_SHIPPED'],
  ])(
    'include %s, with the payload for the provider, and the attributes of its message',
    async (eventName, platform, part) => {
      const event = await made({ platform });
      expect(event.eventName).toBe(eventName);
      expect(event.payload).toContain(part);
      expect(event.payload).toContain('Ann');
      expect(event.attributes).toEqual(expected);
    },
  );
});
