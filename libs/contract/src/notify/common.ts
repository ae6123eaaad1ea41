import { Platform, type PlatformCode, isPushPlatform, pushPlatforms } from '@tidings/kernel';
import type { z } from 'zod';
import { namedCampaign } from '../campaigns/campaign-code.ts';
import { applicationCode } from '../fields/application.ts';
import { cappingFields, cappingOf } from '../messages/capping.ts';
import type { LineContent } from '../messages/line-template.ts';
import { messageFields } from '../messages/message-fields.ts';
import { jsonObject, plainLocalized } from '../messages/texts.ts';
import { alternative } from '../presence.ts';
import { anyObject, boolean, nonEmptyIdentity, object, oneOf, optional } from '../values.ts';
import { platformWordOf } from '../statistics/platform-words.ts';
import { channelBlocks } from './channel-blocks.ts';
import { payload, type Payload } from './payload.ts';
import { platforms } from './platform-list.ts';
import { schedule } from './schedule.ts';

const NO_CAPPING = { cap: undefined, exclude: false, avoid: false };

const frequencyCapping = object({
  days: cappingFields.capping_days.in.unwrap().unwrap().describe('Period of the cap in days, 1 to 30.'),
  count: cappingFields.capping_count.in
    .unwrap()
    .unwrap()
    .describe('Maximum number of messages to a device in the period.'),
  exclude: optional(boolean).describe('Whether the message does not count for caps.'),
  avoid: optional(boolean).describe('Whether the message is sent whatever the cap, though it counts.'),
}).transform(({ days, count, exclude, avoid }, context) =>
  cappingOf({ capping_days: days, capping_count: count, capping_exclude: exclude, capping_avoid: avoid }, context),
);

const SCALARS = new Set(['string', 'number', 'boolean']);

const { isRawJSON } = JSON as unknown as { isRawJSON: (this: void, value: unknown) => boolean };

const isScalar = (value: unknown): boolean => value === null || SCALARS.has(typeof value) || isRawJSON(value);

const placeholders = anyObject
  .refine((given) => Object.values(given).every(isScalar), {
    error: 'values must be strings, numbers or booleans',
  })
  .pipe(jsonObject);

export const commonFields = {
  application: applicationCode,
  platforms: optional(platforms),
  schedule: optional(schedule).describe('Time to send; now if left out.'),
  payload: alternative(payload).describe('Content of the push.'),
  ...channelBlocks,
  campaign: optional(namedCampaign),
  campaign_name: optional(nonEmptyIdentity).describe(messageFields.campaign_name.description!),
  message_type: optional(oneOf(['MESSAGE_TYPE_MARKETING', 'MESSAGE_TYPE_TRANSACTIONAL'])),
  frequency_capping: optional(frequencyCapping).describe(
    'Frequency cap of the message, in place of the cap of the application.',
  ),
  dynamic_content_placeholders: optional(placeholders).describe(
    messageFields.dynamic_content_placeholders.description!,
  ),
  email_category: optional(nonEmptyIdentity).describe(
    'Category of the subscription preferences: contacts who have left it get no e-mail. One of the categories of ' +
      'the account, if it has any.',
  ),
  meta_data: optional(jsonObject).describe('An object that the payload carries in `md`, and that clients report back.'),
};

type Fields = z.output<z.ZodObject<typeof commonFields>>;

const blockNames: readonly (keyof Fields)[] = [
  'payload',
  ...(Object.keys(channelBlocks) as (keyof typeof channelBlocks)[]),
];

const ownBlocks: ReadonlyMap<PlatformCode, string> = new Map([
  [Platform.Email, 'email_payload'],
  [Platform.Kakao, 'kakao'],
  [Platform.WhatsApp, 'whatsapp'],
  [Platform.Line, 'line'],
]);

const blockOf = (platform: PlatformCode): string => ownBlocks.get(platform) ?? 'payload';

const servedBy = ({
  payload: pushes,
  email_payload: email,
  whatsapp,
  line,
  kakao,
}: Fields): readonly PlatformCode[] => [
  ...(pushes ? pushPlatforms : []),
  ...(email ? [Platform.Email] : []),
  ...(whatsapp ? [Platform.WhatsApp] : []),
  ...(line ? [Platform.Line] : []),
  ...(kakao ? [Platform.Kakao] : []),
];

/** The list, else all that the blocks serve. Platforms without devices address nobody. */
const platformsOf = (given: Fields): readonly PlatformCode[] => {
  const { platforms: listed = [] } = given;
  if (listed.length === 0) return servedBy(given);
  const codes = listed.filter((code) => code !== undefined);
  return codes.length === 0 ? [Platform.Blackberry] : [...new Set(codes)];
};

/** Only its blocks and its preset have texts for an SMS (R-O4). */
const hasSmsText = ({ preset, content }: Payload): boolean => {
  const { sms, text } = content?.localized_content ?? {};
  return (preset ?? sms?.text ?? text) !== undefined;
};

const refusePlatforms = (given: Fields, context: z.core.ParsePayload): void => {
  const refuse = (message: string): void => {
    context.issues.push({ code: 'custom', message, path: ['platforms'], input: given.platforms });
  };
  for (const code of given.platforms ?? []) {
    if (code === undefined) continue;
    const block = blockOf(code);
    const isThere = (given as Readonly<Record<string, unknown>>)[block] !== undefined;
    if (!isThere) return refuse(`${platformWordOf(code) ?? code} needs ${block}`);
    // A push without texts may still bring data; an SMS is its text.
    const isText = block === 'payload' && !isPushPlatform(code);
    if (isText && given.payload && !hasSmsText(given.payload)) {
      return refuse('SMS needs a block sms or default, or a preset');
    }
  }
};

const NO_PAYLOAD: Payload = {
  preset: undefined,
  silent: undefined,
  content: undefined,
  custom_data: undefined,
  open_action: undefined,
  open_actions: undefined,
  voip_push: undefined,
};

/** The first block with a preset supplies the message's: pushes, then LINE, then e-mail. "" = none, also beside pushes without one. */
function presetsOf({ payload: pushes, line, email_payload: email }: Fields) {
  const main = pushes && { code: pushes.preset ?? '', path: 'payload.preset' };
  const own = [
    { platform: Platform.Line, code: line?.template, path: 'line.template' },
    { platform: Platform.Email, code: email?.template, path: 'email_payload.email_template' },
  ].flatMap(({ code, ...each }) => (code === undefined ? [] : { ...each, code }));
  const [first, ...others] = own;
  const { code: preset, path: presetPath } = main ?? first ?? { code: '', path: 'payload.preset' };
  return { preset, presetPath, platformPresets: main ? own : others };
}

const lineContentOf = ({ line }: Fields): LineContent | undefined =>
  line?.content === undefined ? undefined : { text: plainLocalized(line.content), templates: [] };

const emailOf = (given: Fields) => ({
  email: given.email_payload && { ...given.email_payload.email, category: given.email_category },
  isEmail: blockNames.every((name) => (name === 'email_payload') === (given[name] !== undefined)),
  hasEmailPreset:
    given.payload === undefined && given.line?.template === undefined && given.email_payload?.template !== undefined,
});

export function commonOf(given: Fields, isListed: boolean, context: z.core.ParsePayload) {
  if (blockNames.every((name) => given[name] === undefined)) {
    const message = `at least one of ${blockNames.join(', ')} is required`;
    context.issues.push({ code: 'custom', message, input: given });
  }
  refusePlatforms(given, context);
  const type = given.message_type ?? (isListed ? 'MESSAGE_TYPE_TRANSACTIONAL' : 'MESSAGE_TYPE_MARKETING');
  const { silent, content, custom_data, open_action: action, ...others } = given.payload ?? NO_PAYLOAD;
  return {
    application: given.application,
    platforms: platformsOf(given),
    schedule: given.schedule,
    ...presetsOf(given),
    campaign: given.campaign ?? '',
    /** "" = none, or a code is given (R-RES5). */
    campaignName: given.campaign === undefined ? (given.campaign_name ?? '') : '',
    capping: given.frequency_capping ?? NO_CAPPING,
    transactional: type === 'MESSAGE_TYPE_TRANSACTIONAL',
    silent,
    localized: content?.localized_content,
    data: custom_data,
    action,
    ownActions: others.open_actions ?? [],
    voip: others.voip_push,
    placeholders: given.dynamic_content_placeholders,
    metaData: given.meta_data,
    whatsApp: given.whatsapp,
    line: lineContentOf(given),
    kakao: given.kakao,
    ...emailOf(given),
  };
}
