import { isRegistrable, Platform } from '@tidings/kernel';
import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { PLATFORM_CODES } from '../fields/device.ts';
import { emailBody } from '../messages/email-fields.ts';
import {
  BY_LANGUAGE,
  jsonData,
  jsonObject,
  localized,
  type LocalizedText,
  rootParamsWithData,
} from '../messages/texts.ts';
import { isGiven, optionalUnless } from '../presence.ts';
import {
  array,
  atMost,
  identity,
  integer,
  nonEmptyIdentity,
  nothing,
  object,
  oneOf,
  optional,
  text,
  TEXT_LIMIT,
  whole,
} from '../values.ts';
import { interruptionLevel, silent, sound, ttl } from '../messages/ios.ts';
import { sendRate } from '../messages/send-rate.ts';

/** Legacy platforms are refused (R-K2). */
const platforms = array(integer)
  .min(1, 'must not be empty')
  .refine((codes) => codes.every(isRegistrable), 'unknown value')
  .transform((codes) => [...new Set(codes)]);

const options = object({
  url: optional(text).describe('URL to open. Required for `url` and `deepLink`.'),
  shortener: optional(
    integer.refine((value) => value === 0 || value === 2, 'must be 0 or 2').meta({ minimum: 0, maximum: 2 }),
  ).describe('2, the default, replaces the URL by a short one that counts clicks; 0 keeps it.'),
  richMediaCode: optional(text).describe('Code of the rich media page. Required for `richMedia`.'),
  id: optional(integer).describe('Number of the place in the app to open.'),
  params: optional(jsonObject).describe('Parameters of the place.'),
});

const action = object({
  type: optional(oneOf(['url', 'deepLink', 'richMedia', 'openApp'])).describe('Kind of action; `openApp` if left out.'),
  options: optional(options).describe('Parameters of the action.'),
}).transform(({ type = 'openApp', options: given = {} }, context) => {
  const need = type === 'openApp' ? undefined : type === 'richMedia' ? 'richMediaCode' : 'url';
  if (need && !given[need]) {
    context.issues.push({ code: 'custom', message: 'must be set', path: ['options', need], input: given });
  }
  return {
    shortenLink: (given.shortener ?? 2) === 2,
    deepLinkId: given.id === undefined ? undefined : BigInt(given.id),
    deepLinkParams: given.params,
    link: need === 'url' ? given.url : undefined,
    richMedia: need === 'richMediaCode' ? given.richMediaCode : undefined,
  };
});

const platformSettings = object({
  ios: optional(
    object({
      sound: optional(sound),
      silent: optional(silent),
      ttl: optional(ttl),
      rootParams: optional(rootParamsWithData).describe('Members for the payload root.'),
      interruptionLevel: optional(interruptionLevel),
    }).transform(({ ttl: ttlSeconds, ...settings }) => ({ ...settings, ttlSeconds })),
  ).describe('Settings for iOS.'),
  android: optional(object({ rootParams: optional(jsonObject).describe('Members for the payload root.') })).describe(
    'Settings for Android.',
  ),
});

function together<Settings extends object>(first: Settings | undefined, second: Settings | undefined) {
  if (!first || !second) return first ?? second;
  return { ...second, ...Object.fromEntries(Object.entries(first).filter(([, value]) => value !== undefined)) };
}

const content = object({
  message: emailBody.describe(`Text of the message, HTML in an e-mail preset. ${BY_LANGUAGE}`),
  title: optional(localized).describe(`Title of the message, the subject in an e-mail preset. ${BY_LANGUAGE}`),
  subtitle: optional(localized).describe(`Line below the title, on iOS. ${BY_LANGUAGE}`),
  action: optional(action).describe('Action of a tap.'),
  userData: optional(jsonData),
  properties: optional(platformSettings).describe('Settings by platform. Takes precedence over `platforms`.'),
  platforms: optional(platformSettings).describe('Settings by platform.'),
}).transform((given) => ({
  text: given.message,
  title: given.title,
  subtitle: given.subtitle,
  data: given.userData,
  link: given.action?.link,
  shortenLink: given.action?.shortenLink ?? true,
  deepLinkId: given.action?.deepLinkId,
  deepLinkParams: given.action?.deepLinkParams,
  richMedia: given.action?.richMedia,
  ios: together(given.properties?.ios, given.platforms?.ios),
  android: together(given.properties?.android, given.platforms?.android),
}));

const CAMPAIGN_NOT_FOUND = whole('campaign: not found');

/** Only the body of an e-mail may be longer than other texts (R-LM4). */
const isWithinLimit = (message: LocalizedText, platforms: readonly number[]): boolean =>
  platforms.includes(Platform.Email) || message.entries.every((entry) => atMost(entry.text, TEXT_LIMIT));

export const createPreset = json13('createPreset', {
  description:
    'Creates a preset, which supplies fields of messages, for an application, or for a group whose applications the ' +
    'token may all use. The reply is empty; listPresets returns the code. With platform 14 it is an e-mail preset, ' +
    'whose message is HTML and whose title is the subject. An application or a group has at most 10,000, unless the ' +
    'operator sets another quota.',
  scope: 'api',
  application: (request) => request['applicationCode'],
  input: object({
    name: nonEmptyIdentity.describe('Name of the preset.'),
    applicationCode: optionalUnless(applicationCode, (request) =>
      isGiven(request['applicationCode']) || isGiven(request['applicationGroupCode']) ? undefined : 'applicationCode',
    ).describe('Code of the application. Required without `applicationGroupCode`.'),
    applicationGroupCode: optional(applicationCode).describe(
      'Code of a group of applications, instead of `applicationCode`.',
    ),
    campaignCode: optional(identity.refine((code) => code !== '', CAMPAIGN_NOT_FOUND)).describe(
      'Code of the campaign that messages count for.',
    ),
    content: content.describe('Content of the messages.'),
    scheduling: optional(
      object({ sendRate: optional(sendRate).describe('Pushes per second, 100 to 1,000.') }),
    ).describe('Speed of sending.'),
    segmentation: object({
      filter: optional(identity.refine((name) => name !== '', 'not found')).describe(
        'Name of the segment that receives the message.',
      ),
      platforms: platforms.describe(`Platform codes: ${PLATFORM_CODES}.`),
    }).describe('Recipients of the message.'),
  })
    .refine(
      (request) => request.applicationCode === undefined || request.applicationGroupCode === undefined,
      whole('applicationCode and applicationGroupCode must not be used together'),
    )
    .transform((request, context) => {
      if (!isWithinLimit(request.content.text, request.segmentation.platforms)) {
        const path = ['content', 'message'];
        context.issues.push({ code: 'custom', message: `at most ${TEXT_LIMIT} characters`, path, input: request });
      }
      return {
        application: request.applicationCode ?? '',
        group: request.applicationGroupCode ?? '',
        name: request.name,
        campaign: request.campaignCode?.toUpperCase() ?? '',
        filter: request.segmentation.filter ?? '',
        platforms: request.segmentation.platforms,
        sendRate: request.scheduling?.sendRate ?? 0,
        content: request.content,
      };
    }),
  output: nothing,
  examples: [
    {
      request: {
        auth: 'token',
        name: 'Welcome',
        applicationCode: 'A1B2C-3D4E5',
        campaignCode: 'C1B2C-3D4E5',
        content: {
          message: { en: 'Welcome', de: 'Willkommen' },
          title: 'Hello',
          subtitle: null,
          action: { type: 'openApp', options: { shortener: 0, id: 17, params: { step: '1' } } },
          userData: { first: true },
          properties: {
            ios: { sound: 'bell', silent: 0, ttl: 60, rootParams: { a: 1 }, interruptionLevel: 'active' },
            android: { rootParams: { a: 1 } },
          },
        },
        scheduling: { sendRate: 500 },
        segmentation: { platforms: [1, 3] },
      },
      reply: undefined,
    },
    {
      request: {
        name: 'Garden',
        applicationCode: 'A1B2C-3D4E5',
        content: {
          message: 'Spring is here',
          action: { type: 'url', options: { url: 'https://example.com' } },
          platforms: { ios: { sound: 'bell' }, android: { rootParams: { a: 1 } } },
        },
        segmentation: { platforms: ['3'] },
      },
      reply: undefined,
    },
  ],
});
