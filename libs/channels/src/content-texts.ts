import type { Content, LocalizedEntry } from '@tidings/events';
import { parseTemplate, requestValue, variablesOf } from '@tidings/messaging';
import { allDefinitions } from './channels.ts';
import { contentOfSettings } from './locale-settings.ts';

const ownTextsOf = (content: Content) =>
  [content, ...content.settings.map(contentOfSettings)].flatMap((each) =>
    allDefinitions().map((definition) => definition.ownTextsOf(each)),
  );

function localizedEntries(content: Content): readonly LocalizedEntry[] {
  const { text, title, subtitle } = content;
  const localized = [text, title, subtitle, ...ownTextsOf(content).flatMap((own) => own.localized)];
  return localized.flatMap((each) => each?.entries ?? []);
}

export const languagesOf = (content: Content): ReadonlySet<string> =>
  new Set(
    [
      ...[...localizedEntries(content), ...content.settings],
      ...[...(content.inbox?.pictures ?? []), ...(content.inbox?.removals ?? [])],
    ].map(({ language }) => language),
  );

function templatedTexts(content: Content): string[] {
  const pictures = [content.inbox?.image, ...(content.inbox?.pictures.map(({ image }) => image) ?? [])];
  const common = [content.link, content.remotePage, ...pictures];
  const urls = [...common, ...ownTextsOf(content).flatMap((own) => own.urls)];
  return [...localizedEntries(content).map(({ text }) => text), ...urls.filter((url) => url !== undefined)];
}

export function tagsOf(content: Content): string[] {
  const variables = variablesOf(content);
  const names = new Set<string>();
  for (const text of templatedTexts(content)) {
    for (const part of parseTemplate(text)) if (typeof part !== 'string') names.add(part.name);
  }
  return [...names].filter((name) => requestValue(name, variables) === undefined);
}
