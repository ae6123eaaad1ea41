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

/** The languages of a content's texts, settings and pictures. Devices with another language get the texts for devices without one (R-I15). */
export const languagesOf = (content: Content): ReadonlySet<string> =>
  new Set(
    [
      ...[...localizedEntries(content), ...content.settings],
      ...[...(content.inbox?.pictures ?? []), ...(content.inbox?.removals ?? [])],
    ].map(({ language }) => language),
  );

/** Every text of a content that may contain placeholders: texts, titles and URLs, but neither data nor root params (R-I17). */
function templatedTexts(content: Content): string[] {
  const pictures = [content.inbox?.image, ...(content.inbox?.pictures.map(({ image }) => image) ?? [])];
  const common = [content.link, content.remotePage, ...pictures];
  const urls = [...common, ...ownTextsOf(content).flatMap((own) => own.urls)];
  return [...localizedEntries(content).map(({ text }) => text), ...urls.filter((url) => url !== undefined)];
}

/**
 * Names of the tags in the content's placeholders, each once, in order of appearance: the entries of `Content.tags`. A name with a value in the
 * request needs no tag.
 */
export function tagsOf(content: Content): string[] {
  const variables = variablesOf(content);
  const names = new Set<string>();
  for (const text of templatedTexts(content)) {
    for (const part of parseTemplate(text)) if (typeof part !== 'string') names.add(part.name);
  }
  return [...names].filter((name) => requestValue(name, variables) === undefined);
}
