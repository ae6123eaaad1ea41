import type { Localized } from '@tidings/events';

export function zoneTexts(content: string): Localized {
  const given = JSON.parse(content) as string | number | Record<string, string | number | null>;
  if (typeof given !== 'object') return { entries: [{ language: 'default', text: String(given) }] };
  const entries = Object.entries(given).filter(([, text]) => text !== null);
  return { entries: entries.map(([language, text]) => ({ language: language.toLowerCase(), text: String(text) })) };
}

export function sameContentKey(content: string): string {
  const { entries } = zoneTexts(content);
  const [only, ...others] = entries;
  if (only?.language === 'default' && others.length === 0) return JSON.stringify(only.text);
  const texts = entries.map(({ language, text }) => [language, text] as const);
  return JSON.stringify(Object.fromEntries(texts.sort(([a], [b]) => (a < b ? -1 : 1))));
}
