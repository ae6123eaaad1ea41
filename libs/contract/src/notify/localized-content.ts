import { isDeepStrictEqual } from 'node:util';
import { Platform } from '@tidings/kernel';
import { z } from 'zod';
import { amazonContent } from '../messages/amazon.ts';
import { androidContent } from '../messages/android.ts';
import { chromeContent, firefoxContent } from '../messages/browsers.ts';
import { huaweiContent } from '../messages/huawei.ts';
import { inboxContent } from '../messages/inbox.ts';
import { iosContent } from '../messages/ios.ts';
import { macContent } from '../messages/mac.ts';
import { safariContent } from '../messages/safari.ts';
import { smsContent } from '../messages/sms.ts';
import type { LocalizedText } from '../messages/texts.ts';
import { windowsContent } from '../messages/windows.ts';
import { text } from '../values.ts';
import { blocks, type Blocks } from './block.ts';

type TextName = 'title' | 'subtitle' | 'body';
type Texts = { readonly [Name in TextName]?: string | undefined };
type Settings = Readonly<Record<string, unknown>>;

interface Chosen {
  readonly locale: string;
  readonly texts: Texts;
  readonly settings: Settings;
}

const textNames: readonly TextName[] = ['title', 'subtitle', 'body'];

/** Other platforms have no use for these settings of `default`. */
type DefaultName = 'root_params' | 'sound' | 'badges' | 'ttl';

const appSettings: readonly DefaultName[] = ['root_params', 'sound', 'badges', 'ttl'];

interface Target {
  readonly platform: number;
  readonly key:
    | 'ios'
    | 'android'
    | 'huawei_android'
    | 'amazon'
    | 'mac_os'
    | 'safari'
    | 'chrome'
    | 'firefox'
    | 'windows'
    | 'sms';
  readonly defaults: readonly DefaultName[];
  readonly ttl?: 'gcm_ttl';
}

const targets = {
  ios: { platform: Platform.iOS, key: 'ios', defaults: appSettings },
  android: { platform: Platform.Android, key: 'android', defaults: appSettings, ttl: 'gcm_ttl' },
  huawei: { platform: Platform.Huawei, key: 'huawei_android', defaults: appSettings, ttl: 'gcm_ttl' },
  amazon: { platform: Platform.Amazon, key: 'amazon', defaults: appSettings },
  mac: { platform: Platform.MacOS, key: 'mac_os', defaults: appSettings },
  safari: { platform: Platform.Safari, key: 'safari', defaults: ['ttl'] },
  chrome: { platform: Platform.Chrome, key: 'chrome', defaults: ['root_params', 'ttl'], ttl: 'gcm_ttl' },
  firefox: { platform: Platform.Firefox, key: 'firefox', defaults: ['root_params', 'ttl'] },
  windows: { platform: Platform.Windows, key: 'windows', defaults: ['ttl'] },
  sms: { platform: Platform.Sms, key: 'sms', defaults: [] },
} as const satisfies Readonly<Record<string, Target>>;

type Name = keyof typeof targets;

const names = Object.keys(targets) as Name[];

function chosen(locale: string, block: Texts & { readonly inbox?: unknown }, ttlName = 'ttl'): Chosen {
  const { title, subtitle, body, inbox: _, ttl, ...others } = block as Texts & Settings;
  const { [ttlName]: alias, ...settings } = others;
  return { locale, texts: { title, subtitle, body }, settings: { ...settings, [ttlName]: ttl ?? alias } };
}

type OtherNames = Texts & Settings & { readonly header?: string | undefined; readonly content?: string | undefined };

const isRenamed = (key: Target['key']): key is 'ios' | 'android' | 'huawei_android' | 'amazon' =>
  key === 'ios' || key === 'android' || key === 'huawei_android' || key === 'amazon';

/** An MMS has a title, its subject. */
function ownBlock(given: Blocks, key: Target['key']): (Texts & Settings) | undefined {
  if (key === 'sms' && given.sms) return { ...given.sms, subject: undefined, title: given.sms.subject };
  if (!isRenamed(key)) return given[key];
  const block = given[key];
  if (!block) return undefined;
  const { header, content, ...own }: OtherNames = block;
  return { ...own, title: own.title ?? header, body: own.body ?? content };
}

function forTarget(locale: string, given: Blocks, { key, defaults, ttl }: Target): Chosen | undefined {
  const own = ownBlock(given, key);
  if (own) return chosen(locale, own, ttl);
  if (!given.default) return undefined;
  // The title of a push makes no MMS.
  if (key === 'sms') return chosen(locale, { body: given.default.body });
  const { title, subtitle, body, ...settings } = given.default;
  const defaultSettings = Object.fromEntries(defaults.map((name) => [name, settings[name]]));
  return chosen(locale, { title, subtitle, body, ...defaultSettings }, ttl);
}

/** A block without the text has none, also where other locales have it (R-O4). */
const localizedOf = (from: readonly Chosen[], name: TextName): LocalizedText => ({
  entries: from.map(({ locale, texts }) => ({ language: locale, text: texts[name] ?? '' })),
});

type Given = Readonly<Record<string, Blocks>>;

const chosenBy = (given: Given, choose: (locale: string, blocks: Blocks) => Chosen | undefined): Chosen[] =>
  Object.entries(given).flatMap(([locale, each]) => choose(locale.toLowerCase(), each) ?? []);

const differs = (from: readonly Chosen[]): boolean =>
  from
    .flatMap(({ settings }) => Object.keys(settings))
    .some((name) => from.some(({ settings }) => !isDeepStrictEqual(settings[name], from[0]!.settings[name])));

export interface BlockInbox {
  readonly content: NonNullable<ReturnType<typeof inboxContent>>;
  /** The block with the earliest date, such as `en.default`. */
  readonly path: string;
}

interface InboxSettings {
  readonly image_url?: string | undefined;
  readonly expiration_date?: number | undefined;
}

const inboxOf = (block: object | undefined): InboxSettings =>
  (block && 'inbox' in block && (block.inbox as InboxSettings | undefined)) || {};

interface OfBlock {
  readonly platform: number;
  readonly language: string;
  readonly inbox: InboxSettings;
}

const inboxesFor = (given: Given, platform: number, key?: Target['key']): OfBlock[] =>
  Object.entries(given).flatMap(([locale, of]) => {
    const block = (key && of[key]) ?? of.default;
    return block ? [{ platform, language: locale.toLowerCase(), inbox: inboxOf(block) }] : [];
  });

/** Platform 0 = `default` blocks (R-O4). */
const inboxesIn = (given: Given): OfBlock[] => [
  ...inboxesFor(given, 0),
  ...Object.values<Target>(targets).flatMap(({ platform, key }) =>
    Object.values(given).some((of) => of[key]) ? inboxesFor(given, platform, key) : [],
  ),
];

/** Without a picture or a date, a block has the first one of another block. */
function inboxIn(given: Given): BlockInbox | undefined {
  const inboxes = Object.entries(given).flatMap(([locale, of]) =>
    Object.entries(of).flatMap(([platform, block]) => {
      const inbox = inboxOf(block);
      const content = inboxContent({ inbox_date: inbox.expiration_date, inbox_image: inbox.image_url });
      return content ? [{ content, path: `${locale}.${platform}` }] : [];
    }),
  );
  const [first] = inboxes;
  if (!first) return undefined;
  const dated = inboxes.flatMap(({ content: { removalDay }, path }) =>
    removalDay === undefined ? [] : [{ removalDay, path }],
  );
  const earliest = dated.toSorted((a, b) => a.removalDay - b.removalDay)[0];
  const [day, ...days] = new Set(dated.map(({ removalDay }) => removalDay));
  const [image, ...images] = new Set(inboxes.flatMap(({ content }) => content.image ?? []));
  const blocksOf = inboxesIn(given);
  const pictures = blocksOf.map(({ inbox: { image_url }, ...of }) => ({ ...of, image: image_url ?? image! }));
  const removals = blocksOf.map(({ inbox: { expiration_date }, ...of }) => ({
    ...of,
    removalDay: expiration_date ?? day!,
  }));
  return {
    path: (earliest ?? first).path,
    content: {
      ...first.content,
      removalDay: day === undefined ? undefined : Math.max(day, ...days),
      image,
      pictures: images.length > 0 ? pictures : [],
      removals: days.length > 0 ? removals : [],
    },
  };
}

function settingsOf<Content>(prefix: string, settings: Settings, contentOf: (fields: never) => Content): Content {
  const named = Object.entries(settings).map(([name, value]) => [prefix + name, value]);
  return contentOf(Object.fromEntries(named) as never);
}

const contents = {
  ios: (settings: Settings) => settingsOf('ios_', settings, iosContent),
  android: (settings: Settings) => settingsOf('android_', settings, androidContent),
  huawei: (settings: Settings) => settingsOf('huawei_android_', settings, huaweiContent),
  amazon: (settings: Settings) => settingsOf('adm_', settings, amazonContent),
  mac: (settings: Settings) => settingsOf('mac_', settings, macContent),
  safari: (settings: Settings) => settingsOf('safari_', settings, safariContent),
  chrome: (settings: Settings) => settingsOf('chrome_', settings, chromeContent),
  firefox: (settings: Settings) => settingsOf('firefox_', settings, firefoxContent),
  windows: (settings: Settings) => settingsOf('wns_', settings, windowsContent),
  sms: (settings: Settings) => settingsOf('sms_', settings, smsContent),
} as const satisfies { readonly [Of in Name]: unknown };

const baseOf = (from: readonly Chosen[]): Settings =>
  (from.find(({ locale }) => locale === 'default') ?? from.find(({ locale }) => locale === 'en') ?? from[0])
    ?.settings ?? {};

export type LocaleSettings = { readonly language: string } & {
  readonly [Of in Name]?: ReturnType<(typeof contents)[Of]>;
};

/** None if they are the same in all locales. */
const localeSettings = (name: Name, from: readonly Chosen[]): LocaleSettings[] =>
  differs(from) ? from.map(({ locale, settings }) => ({ language: locale, [name]: contents[name](settings) })) : [];

const smsTexts = (given: Given, from: readonly Chosen[]) =>
  Object.values(given).some((each) => each.sms) && {
    text: localizedOf(from, 'body'),
    title: from.some(({ texts }) => texts.title !== undefined) ? localizedOf(from, 'title') : undefined,
  };

function contentIn(given: Given) {
  const common = chosenBy(given, (locale, of) => of.default && chosen(locale, of.default));
  const from = Object.fromEntries(
    names.map((name) => [name, chosenBy(given, (locale, of) => forTarget(locale, of, targets[name]))]),
  ) as Record<Name, Chosen[]>;
  // SMS has texts of its own, whatever pushes have.
  const all = [...common, ...names.flatMap((name) => (name === 'sms' ? [] : from[name]))];
  const isGiven = new Set(textNames.filter((name) => all.some(({ texts }) => texts[name] !== undefined)));
  const textsOf = (of: readonly Chosen[]) => {
    const by = (name: TextName) => (isGiven.has(name) && of.length > 0 ? localizedOf(of, name) : undefined);
    return { text: by('body'), title: by('title'), subtitle: by('subtitle') };
  };
  const ownTexts = (name: Name): Partial<ReturnType<typeof textsOf>> =>
    Object.values(given).some((each) => each[targets[name].key] !== undefined) ? textsOf(from[name]) : {};
  const withoutSubtitle = (name: Name) => {
    const { text: body, title } = ownTexts(name);
    return { ...(body && { text: body }), ...(title && { title }) };
  };
  return {
    ...textsOf(common),
    inbox: inboxIn(given),
    settings: names.flatMap((name) => localeSettings(name, from[name])),
    ios: { ...contents.ios(baseOf(from.ios)), ...ownTexts('ios') },
    android: { ...contents.android(baseOf(from.android)), ...withoutSubtitle('android') },
    huawei: { ...contents.huawei(baseOf(from.huawei)), ...withoutSubtitle('huawei') },
    amazon: { ...contents.amazon(baseOf(from.amazon)), ...withoutSubtitle('amazon') },
    mac: { ...contents.mac(baseOf(from.mac)), ...ownTexts('mac') },
    safari: { ...contents.safari(baseOf(from.safari)), ...withoutSubtitle('safari') },
    chrome: { ...contents.chrome(baseOf(from.chrome)), ...withoutSubtitle('chrome') },
    firefox: { ...contents.firefox(baseOf(from.firefox)), ...withoutSubtitle('firefox') },
    windows: { ...contents.windows(baseOf(from.windows)), ...withoutSubtitle('windows') },
    sms: { ...contents.sms(baseOf(from.sms)), ...smsTexts(given, from.sms) },
  };
}

const MAX_LOCALES = 255;

export const localizedContent = z
  .record(text, blocks, { error: 'must be an object' })
  .refine((given) => Object.keys(given).length > 0, 'must not be empty')
  .refine((given) => Object.keys(given).length <= MAX_LOCALES, `at most ${MAX_LOCALES} entries`)
  .transform(contentIn);
