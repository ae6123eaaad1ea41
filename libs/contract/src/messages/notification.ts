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

/** Fields each of which is content enough (R-I14). */
const contentFields = [
  ...(['preset', 'content', 'ios_content', 'android_content', 'huawei_android_content', 'wns_content'] as const),
  ...(['rich_media', 'page_id', 'remote_page', 'data'] as const),
];

/** The same of those that are true. */
const contentFlags = ['voip_push', 'ios_silent', 'android_silent', 'huawei_android_silent'] as const;

const hasContent = (given: Fields): boolean =>
  contentFields.some((name) => given[name] !== undefined) || contentFlags.some((name) => given[name] === true);

/** A date that is not `now`. */
interface SendTime {
  /** The date in its zone (R-I8); for `localAt`, when it is due for devices without an offset (R-I9). */
  readonly at: Date;
  /** The date on each recipient's clock, encoded as if it were UTC. */
  readonly localAt: Date | undefined;
  /** Treatment of devices on whose clocks `localAt` has passed. @default SEND_IMMEDIATELY */
  readonly pastOffsets?: 'SEND_IMMEDIATELY' | 'NEXT_DAY' | 'SKIP';
}

/** Undefined for `now`: zones have no effect then. */
function sendTimeOf({
  send_date: date,
  timezone,
  ignore_user_timezone: isOneInstant = true,
}: Fields): SendTime | undefined {
  if (date === undefined) return undefined;
  const ms = timezone === undefined || date.hasOffset ? date.ms : instantInZone(timezone, date.ms);
  return { at: new Date(ms), localAt: isOneInstant ? undefined : new Date(date.ms) };
}

/** The name is not checked if a campaign code is given. */
const campaignNameOf = (given: Fields, context: z.core.ParsePayload): string =>
  given.campaign_name === undefined
    ? ''
    : (parseWithin(nonEmptyIdentity, given.campaign_name, context, ['campaign_name']) ?? '');

/** The content fields of the request; an undefined one is taken from the preset, if any (R-K4). */
const contentOf = (given: Fields) => ({
  text: given.content,
  title: given.title,
  subtitle: given.subtitle,
  data: given.data,
  link: given.link,
  richMedia: given.rich_media,
  pageId: given.page_id ?? given.rich_page_id,
  remotePage: given.remote_page,
  /** Replace the link by a short one if it is http(s) (R-I19). */
  shortenLink: given.minimize_link,
  /** JSON objects. */
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

/** The recipients of a message. */
interface Reached {
  readonly recipients: Recipients;
  /** Only devices in it; undefined = anywhere (R-I20). */
  readonly circle: Circle | undefined;
  /** Undefined: none given; []: any (R-I5, R-K4). */
  readonly platforms: readonly number[] | undefined;
}

/** A message by its fields and its recipients. */
export function messageOf(given: Fields, reached: Reached, context: z.core.ParsePayload) {
  if (!hasContent(given)) {
    context.issues.push({ code: 'custom', message: 'must be set', path: ['content'], input: given });
  }
  refuseUntitled(given, context);
  refuseTextsAlone(given, context);
  const sendRate = sendRateOf(given);
  refuseRateOfDevices(sendRate, reached.recipients, context);
  return {
    /** Undefined = now. */
    sendAt: sendTimeOf(given),
    ...reached,
    /** Codes; "" = none. */
    preset: given.preset ?? '',
    campaign: given.campaign ?? '',
    /** Used if no campaign code is given; "" = none (R-RES5). */
    campaignName: given.campaign === undefined ? campaignNameOf(given, context) : '',
    /** "" = none. */
    transactionId: given.transactionId ?? '',
    transactional: given.message_type === 'transactional',
    capping: cappingOf(given, context),
    sendRate,
    content: contentOf(given) as GivenContent,
  };
}

/** One entry of `notifications` (Spec I). */
export const notification = object({ ...messageFields, ...recipientFields }).transform((given, context) => {
  const reached = {
    recipients: recipientsOf(given, context),
    circle: circleOf(given),
    platforms: platformsOf(given, context),
  };
  return messageOf(given, reached, context);
});

/** The content fields of the schema. */
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
  /** Content for LINE, in place of the common text. */
  readonly line?: LineContent | undefined;
  /** The title is the subject of an MMS. */
  readonly sms?: Partial<ReturnType<typeof smsContent>> & Pick<OwnTexts, 'text' | 'title'>;
  readonly kakao?: GivenKakao | undefined;
  /** A JSON object. */
  readonly metaData?: string | undefined;
  /** Settings of platforms that differ between locales (R-O4). */
  readonly settings?: readonly LocaleSettings[] | undefined;
  /** Platforms whose own action has its link replaced by a short one if it is http(s) (R-I19). */
  readonly actionsToShorten?: readonly number[];
  /** Whether the target of a tap replaces the preset's target as a whole. */
  readonly replacesAction?: boolean;
};

/** The content fields that are always there: one object for each platform. */
type Platforms = {
  readonly [Name in keyof GivenContent as undefined extends GivenContent[Name] ? never : Name]: GivenContent[Name];
};

/** The content fields of a message that says nothing of its own on any platform. */
export const NOTHING_OF_THEIR_OWN: Platforms = {
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

/** Texts of a platform in place of the common ones. */
interface OwnTexts {
  readonly text?: LocalizedText | undefined;
  readonly title?: LocalizedText | undefined;
  readonly subtitle?: LocalizedText | undefined;
}

interface OwnAction {
  /** The target of a tap on this platform, in place of the common fields. */
  readonly openAction?: OpenAction | undefined;
}

/** A preset that gives one platform its texts. */
interface PlatformPreset {
  readonly platform: number;
  readonly code: string;
  /** Field of the preset in the message. */
  readonly path: string;
}

export type Notification = ReturnType<typeof messageOf> & {
  /** Presets that give single platforms their texts, and nothing else. @default none */
  readonly platformPresets?: readonly PlatformPreset[];
};
