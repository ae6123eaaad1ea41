import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { androidContent } from '../messages/android.ts';
import { iosContent } from '../messages/ios.ts';
import type { LocalizedText } from '../messages/texts.ts';
import { text } from '../values.ts';
import { blocks, type Blocks } from './block.ts';

type TextName = 'title' | 'subtitle' | 'body';
type Settings = Readonly<Record<string, unknown>>;

/** What the block for a platform and a locale says. */
interface Chosen {
  readonly locale: string;
  readonly texts: { readonly [Name in TextName]?: string | undefined };
  readonly settings: Settings;
}

const textNames: readonly TextName[] = ['title', 'subtitle', 'body'];

/** The texts of a block beside its settings. */
function chosen<Given extends Chosen['texts'] & { readonly inbox?: unknown }>(
  locale: string,
  { title, subtitle, body, inbox: _, ...settings }: Given,
) {
  return { locale, texts: { title, subtitle, body }, settings } satisfies Chosen;
}

const forDefault = (locale: string, { default: given }: Blocks): Chosen | undefined => given && chosen(locale, given);

const forIos = (locale: string, given: Blocks): Chosen | undefined =>
  given.ios ? chosen(locale, given.ios) : forDefault(locale, given);

function forAndroid(locale: string, { android: own, ...given }: Blocks): Chosen | undefined {
  if (own) {
    const { header, content, ttl, ...others } = own;
    const texts = { title: own.title ?? header, body: own.body ?? content };
    return chosen(locale, { ...others, ...texts, gcm_ttl: ttl ?? own.gcm_ttl });
  }
  if (!given.default) return undefined;
  const { ttl, ...others } = given.default;
  return chosen(locale, { ...others, gcm_ttl: ttl });
}

/** A text by locale. A block without it has none, also where blocks of other locales have it (R-O4). Undefined if no block has it. */
const localizedOf = (from: readonly Chosen[], name: TextName): LocalizedText => ({
  entries: from.map(({ locale, texts }) => ({ language: locale, text: texts[name] ?? '' })),
});

const prefixed = (prefix: string, settings: Settings): Settings =>
  Object.fromEntries(Object.entries(settings).map(([name, value]) => [prefix + name, value]));

type Given = Readonly<Record<string, Blocks>>;

const chosenBy = (given: Given, choose: (locale: string, blocks: Blocks) => Chosen | undefined): Chosen[] =>
  Object.entries(given).flatMap(([locale, each]) => choose(locale.toLowerCase(), each) ?? []);

/** The name of a setting that differs between locales; undefined where none does. */
const differing = (from: readonly Chosen[]): string | undefined =>
  from
    .flatMap(({ settings }) => Object.keys(settings))
    .find((name) => from.some(({ settings }) => !isDeepStrictEqual(settings[name], from[0]!.settings[name])));

function refuseDiffering(all: readonly (readonly Chosen[])[], context: z.core.ParsePayload): void {
  const name = all.map(differing).find((each) => each !== undefined);
  if (name === undefined) return;
  const shown = name === 'gcm_ttl' ? 'ttl' : name;
  context.issues.push({
    code: 'custom',
    message: `${shown} that differs between locales: not served yet`,
    input: name,
  });
}

/** The texts and settings of a message by platform; a text that no block has is undefined. */
function contentIn(given: Given, context: z.core.ParsePayload) {
  const common = chosenBy(given, forDefault);
  const ios = chosenBy(given, forIos);
  const android = chosenBy(given, forAndroid);
  refuseDiffering([ios, android], context);
  const isGiven = new Set(
    textNames.filter((name) => [...common, ...ios, ...android].some(({ texts }) => texts[name] !== undefined)),
  );
  const textsOf = (from: readonly Chosen[]) => {
    const of = (name: TextName) => (isGiven.has(name) && from.length > 0 ? localizedOf(from, name) : undefined);
    return { text: of('body'), title: of('title'), subtitle: of('subtitle') };
  };
  const hasOwn = (key: keyof Blocks): boolean => Object.values(given).some((each) => each[key] !== undefined);
  const { text: androidText, title: androidTitle } = textsOf(android);
  const iosSettings = prefixed('ios_', ios[0]?.settings ?? {});
  const androidSettings = prefixed('android_', android[0]?.settings ?? {});
  return {
    ...textsOf(common),
    ios: {
      ...iosContent(iosSettings as Parameters<typeof iosContent>[0]),
      ...(hasOwn('ios') ? textsOf(ios) : {}),
    },
    android: {
      ...androidContent(androidSettings as Parameters<typeof androidContent>[0]),
      ...(hasOwn('android') ? { text: androidText, title: androidTitle } : {}),
    },
  };
}

/** A message has a text for a limited number of languages. */
const MAX_LOCALES = 255;

/** Texts and settings by locale and platform (R-O1, R-O4). */
export const localizedContent = z
  .record(text, blocks, { error: 'must be an object' })
  .refine((given) => Object.keys(given).length > 0, 'must not be empty')
  .refine((given) => Object.keys(given).length <= MAX_LOCALES, `at most ${MAX_LOCALES} entries`)
  .transform(contentIn);
