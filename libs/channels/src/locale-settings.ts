import { Content, type LocaleSettings } from '@tidings/events';
import { Platform } from '@tidings/kernel';
import { entryFor } from '@tidings/messaging';
import type { Push } from './channel-definition.ts';

/** The parts of a content that are for one platform. */
const parts: ReadonlyMap<number, 'ios' | 'android' | 'mac' | 'chrome' | 'firefox' | 'safari'> = new Map([
  [Platform.iOS, 'ios'],
  [Platform.Android, 'android'],
  [Platform.MacOS, 'mac'],
  [Platform.Safari, 'safari'],
  [Platform.Chrome, 'chrome'],
  [Platform.Firefox, 'firefox'],
]);

/** The fields of a platform's part that are not settings: texts have their own choice of a language. */
const kept = ['text', 'title', 'subtitle', 'openAction'] as const;

/** The push with the settings of its platform for a language: the exact one, then `default`, `en`, the first (R-O4). */
export function inLanguage<Of extends Push>(push: Of, language: string): Of {
  const { content, platform } = push;
  const part = parts.get(platform);
  if (!content || part === undefined || content.settings.length === 0) return push;
  const chosen = entryFor(
    content.settings.filter((own) => own[part] !== undefined),
    language,
  );
  if (!chosen) return push;
  const base: Readonly<Record<string, unknown>> = { ...content[part] };
  const texts = Object.fromEntries(kept.flatMap((name) => (base[name] === undefined ? [] : [[name, base[name]]])));
  return { ...push, content: { ...content, [part]: { ...chosen[part], ...texts } } };
}

/** A content that says nothing but these settings. */
export const contentOfSettings = ({ language: _, ...settings }: LocaleSettings): Content =>
  Content.fromPartial(settings);
