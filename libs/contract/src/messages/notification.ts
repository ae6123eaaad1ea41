import type { z } from 'zod';
import { instantInZone } from '../fields/zone-name.ts';
import { nonEmptyIdentity, object } from '../values.ts';
import { parseWithin } from '../forward.ts';
import { amazonContent } from './amazon.ts';
import { androidContent } from './android.ts';
import { cappingOf } from './capping.ts';
import { chromeContent, firefoxContent } from './browsers.ts';
import type { GivenEmail } from './email-fields.ts';
import { huaweiContent } from './huawei.ts';
import { inboxContent } from './inbox.ts';
import { iosContent } from './ios.ts';
import type { LineContent } from './line-template.ts';
import { macContent } from './mac.ts';
import { messageFields } from './message-fields.ts';
import { type Circle, circleOf, platformsOf, recipientFields, type Recipients, recipientsOf } from './recipients.ts';
import type { LocaleSettings } from '../notify/localized-content.ts';
import type { OpenAction } from '../notify/open-action.ts';
import { refuseUntitled, safariContent } from './safari.ts';
import type { smsContent } from './sms.ts';
import { refuseRateOfDevices, sendRateOf } from './send-rate.ts';
import type { GivenKakao } from './kakao.ts';
import type { LocalizedText } from './texts.ts';
import type { GivenWhatsApp } from './whatsapp.ts';
import { refuseTextsAlone, windowsContent } from './windows.ts';

type Fields = z.output<z.ZodObject<typeof messageFields>>;

/** Each is content enough (R-I14). */
const contentFields = [
  ...(['preset', 'content', 'ios_content', 'android_content', 'huawei_android_content', 'wns_content'] as const),
  ...(['rich_media', 'page_id', 'remote_page', 'data'] as const),
];

const contentFlags = ['voip_push', 'ios_silent', 'android_silent', 'huawei_android_silent'] as const;

const hasContent = (given: Fields): boolean =>
  contentFields.some((name) => given[name] !== undefined) || contentFlags.some((name) => given[name] === true);

interface SendTime {
  /** For `localAt`, when it is due for devices without an offset (R-I9). */
  readonly at: Date;
  /** On each recipient's clock, encoded as if it were UTC. */
  readonly localAt: Date | undefined;
  /** Devices on whose clocks `localAt` has passed. @default SEND_IMMEDIATELY */
  readonly pastOffsets?: 'SEND_IMMEDIATELY' | 'NEXT_DAY' | 'SKIP';
}

function sendTimeOf({
  send_date: date,
  timezone,
  ignore_user_timezone: isOneInstant = true,
}: Fields): SendTime | undefined {
  if (date === undefined) return undefined;
  const ms = timezone === undefined || date.hasOffset ? date.ms : instantInZone(timezone, date.ms);
  return { at: new Date(ms), localAt: isOneInstant ? undefined : new Date(date.ms) };
}

/** Not checked if a campaign code is given. */
const campaignNameOf = (given: Fields, context: z.core.ParsePayload): string =>
  given.campaign_name === undefined
    ? ''
    : (parseWithin(nonEmptyIdentity, given.campaign_name, context, ['campaign_name']) ?? '');

/** An undefined field comes from the preset (R-K4). */
const contentOf = (given: Fields) => ({
  text: given.content,
  title: given.title,
  subtitle: given.subtitle,
  data: given.data,
  link: given.link,
  richMedia: given.rich_media,
  pageId: given.page_id ?? given.rich_page_id,
  remotePage: given.remote_page,
  shortenLink: given.minimize_link,
  placeholders: given.dynamic_content_placeholders,
  bindings: given.template_bindings,
  voip: given.voip_push,
  ios: iosContent(given),
  android: androidContent(given),
  huawei: huaweiContent(given),
  amazon: amazonContent(given),
  mac: macContent(given),
  chrome: chromeContent(given),
  firefox: firefoxContent(given),
  safari: safariContent(given),
  windows: windowsContent(given),
  inbox: inboxContent(given),
});

interface Reached {
  readonly recipients: Recipients;
  readonly circle: Circle | undefined;
  /** Undefined: none given; []: any (R-I5, R-K4). */
  readonly platforms: readonly number[] | undefined;
}

export function messageOf(given: Fields, reached: Reached, context: z.core.ParsePayload) {
  if (!hasContent(given)) {
    context.issues.push({ code: 'custom', message: 'must be set', path: ['content'], input: given });
  }
  refuseUntitled(given, context);
  refuseTextsAlone(given, context);
  const sendRate = sendRateOf(given);
  refuseRateOfDevices(sendRate, reached.recipients, context);
  return {
    sendAt: sendTimeOf(given),
    ...reached,
    preset: given.preset ?? '',
    campaign: given.campaign ?? '',
    /** Used without a campaign code; "" = none (R-RES5). */
    campaignName: given.campaign === undefined ? campaignNameOf(given, context) : '',
    transactionId: given.transactionId ?? '',
    transactional: given.message_type === 'transactional',
    capping: cappingOf(given, context),
    sendRate,
    content: contentOf(given) as GivenContent,
  };
}

export const notification = object({ ...messageFields, ...recipientFields }).transform((given, context) => {
  const reached = {
    recipients: recipientsOf(given, context),
    circle: circleOf(given),
    platforms: platformsOf(given, context),
  };
  return messageOf(given, reached, context);
});

export type GivenContent = Omit<
  ReturnType<typeof contentOf>,
  'ios' | 'android' | 'huawei' | 'amazon' | 'mac' | 'chrome' | 'firefox' | 'safari' | 'windows'
> & {
  readonly ios: Partial<ReturnType<typeof iosContent>> & OwnAction;
  readonly android: Partial<ReturnType<typeof androidContent>> & OwnAction;
  readonly huawei: Partial<ReturnType<typeof huaweiContent>> & OwnAction;
  readonly amazon: Partial<ReturnType<typeof amazonContent>> & OwnAction;
  readonly mac: Partial<ReturnType<typeof macContent>> & OwnTexts & OwnAction;
  readonly chrome: Partial<ReturnType<typeof chromeContent>> & Pick<OwnTexts, 'text'> & OwnAction;
  readonly firefox: Partial<ReturnType<typeof firefoxContent>> & Pick<OwnTexts, 'text'> & OwnAction;
  readonly safari: Partial<ReturnType<typeof safariContent>> & Pick<OwnTexts, 'text'>;
  readonly whatsApp?: GivenWhatsApp | undefined;
  readonly email?: GivenEmail | undefined;
  readonly windows: Partial<ReturnType<typeof windowsContent>> & Omit<OwnTexts, 'subtitle'> & OwnAction;
  readonly line?: LineContent | undefined;
  /** The title is the subject of an MMS. */
  readonly sms?: Partial<ReturnType<typeof smsContent>> & Pick<OwnTexts, 'text' | 'title'>;
  readonly kakao?: GivenKakao | undefined;
  readonly metaData?: string | undefined;
  readonly settings?: readonly LocaleSettings[] | undefined;
  /** Platforms whose own link becomes a short one if it is http(s) (R-I19). */
  readonly actionsToShorten?: readonly number[];
  /** A tap's target replaces the preset's as a whole. */
  readonly replacesAction?: boolean;
};

type Platforms = {
  readonly [Name in keyof GivenContent as undefined extends GivenContent[Name] ? never : Name]: GivenContent[Name];
};

export const NO_PLATFORM_CONTENT: Platforms = {
  ios: {},
  android: {},
  huawei: {},
  amazon: {},
  mac: {},
  safari: {},
  chrome: {},
  firefox: {},
  windows: {},
};

interface OwnTexts {
  readonly text?: LocalizedText | undefined;
  readonly title?: LocalizedText | undefined;
  readonly subtitle?: LocalizedText | undefined;
}

interface OwnAction {
  readonly openAction?: OpenAction | undefined;
}

interface PlatformPreset {
  readonly platform: number;
  readonly code: string;
  readonly path: string;
}

export type Notification = ReturnType<typeof messageOf> & {
  readonly platformPresets?: readonly PlatformPreset[];
};
