import { Content, type LocaleSettings } from '@tidings/events';
import { Platform } from '@tidings/kernel';
import { entryFor } from '@tidings/messaging';
import type { PushKind } from './channel-definition.ts';

type ContentPart =
  | 'ios'
  | 'android'
  | 'huawei'
  | 'amazon'
  | 'mac'
  | 'chrome'
  | 'firefox'
  | 'safari'
  | 'windows'
  | 'sms';

/** The parts of a content that are for one platform. */
export const contentParts: ReadonlyMap<number, ContentPart> = new Map([
  [Platform.iOS, 'ios'],
  [Platform.Android, 'android'],
  [Platform.Huawei, 'huawei'],
  [Platform.Amazon, 'amazon'],
  [Platform.MacOS, 'mac'],
  [Platform.Safari, 'safari'],
  [Platform.Chrome, 'chrome'],
  [Platform.Firefox, 'firefox'],
  [Platform.Windows, 'windows'],
  [Platform.Sms, 'sms'],
]);

/** The fields of a platform's part that are not settings: texts have their own choice of a language. */
const kept = ['text', 'title', 'subtitle', 'openAction'] as const;

/** The locales with settings for the platform of a push, in the caller's order. */
function localesOf({ content, platform }: PushKind): readonly LocaleSettings[] {
  const part = contentParts.get(platform);
  if (part === undefined || !content) return [];
  return content.settings.filter((own) => own[part] !== undefined);
}

/** The push with the settings of a locale. */
function withSettings<Of extends PushKind>(push: Of, chosen: LocaleSettings): Of {
  const part = contentParts.get(push.platform)!;
  const content = push.content!;
  const base: Readonly<Record<string, unknown>> = { ...content[part] };
  const texts = Object.fromEntries(kept.flatMap((name) => (base[name] === undefined ? [] : [[name, base[name]]])));
  return { ...push, content: { ...content, [part]: { ...chosen[part], ...texts } } };
}

/** The push with the settings of its platform for a language: the exact one, then `default`, `en`, the first (R-O4). */
export function inLanguage<Of extends PushKind>(push: Of, language: string): Of {
  const chosen = entryFor(localesOf(push), language);
  return chosen ? withSettings(push, chosen) : push;
}

/** The push in every locale with settings of its own; only itself if there are none. */
export function inEveryLocale(push: PushKind): readonly PushKind[] {
  const locales = localesOf(push);
  return locales.length === 0 ? [push] : locales.map((chosen) => withSettings(push, chosen));
}

/** A content that says nothing but these settings. */
export const contentOfSettings = ({ language: _, ...settings }: LocaleSettings): Content =>
  Content.fromPartial(settings);
