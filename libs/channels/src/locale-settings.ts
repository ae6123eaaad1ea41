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

const kept = ['text', 'title', 'subtitle', 'openAction'] as const;

function localesOf({ content, platform }: PushKind): readonly LocaleSettings[] {
  const part = contentParts.get(platform);
  if (part === undefined || !content) return [];
  return content.settings.filter((own) => own[part] !== undefined);
}

function withSettings<Of extends PushKind>(push: Of, chosen: LocaleSettings): Of {
  const part = contentParts.get(push.platform)!;
  const content = push.content!;
  const base: Readonly<Record<string, unknown>> = { ...content[part] };
  const texts = Object.fromEntries(kept.flatMap((name) => (base[name] === undefined ? [] : [[name, base[name]]])));
  return { ...push, content: { ...content, [part]: { ...chosen[part], ...texts } } };
}

/** The exact language, then `default`, `en`, the first (R-O4). */
export function inLanguage<Of extends PushKind>(push: Of, language: string): Of {
  const chosen = entryFor(localesOf(push), language);
  return chosen ? withSettings(push, chosen) : push;
}

export function inEveryLocale(push: PushKind): readonly PushKind[] {
  const locales = localesOf(push);
  return locales.length === 0 ? [push] : locales.map((chosen) => withSettings(push, chosen));
}

export const contentOfSettings = ({ language: _, ...settings }: LocaleSettings): Content =>
  Content.fromPartial(settings);
