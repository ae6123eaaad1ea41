import type { Content, LocalizedEntry } from '@tidings/events';
import { parseTemplate, requestValue, variablesOf } from '@tidings/messaging';
import { allDefinitions } from './channels.ts';

const ownTextsOf = (content: Content) => allDefinitions().map((definition) => definition.ownTextsOf(content));

function localizedEntries(content: Content): readonly LocalizedEntry[] {
  const { text, title, subtitle } = content;
  const localized = [text, title, subtitle, ...ownTextsOf(content).flatMap((own) => own.localized)];
  return localized.flatMap((each) => each?.entries ?? []);
}

/** The languages that a content has a text in. Devices of all others get what those without a language get (R-I15). */
export const languagesOf = (content: Content): ReadonlySet<string> =>
  new Set(localizedEntries(content).map(({ language }) => language));

/** Every text of a content that may hold placeholders: texts, titles and URLs, but neither data nor root params (R-I17). */
function templatedTexts(content: Content): string[] {
  const urls = [content.link, ...ownTextsOf(content).flatMap((own) => own.urls)];
  return [...localizedEntries(content).map(({ text }) => text), ...urls.filter((url) => url !== undefined)];
}

/**
 * Names of the tags that the content's placeholders refer to, each once, in order of appearance: what `Content.tags` holds. A name for
 * which the request itself brings a value needs no tag.
 */
export function tagsOf(content: Content): string[] {
  const variables = variablesOf(content);
  const names = new Set<string>();
  for (const text of templatedTexts(content)) {
    for (const part of parseTemplate(text)) if (typeof part !== 'string') names.add(part.name);
  }
  return [...names].filter((name) => requestValue(name, variables) === undefined);
}
