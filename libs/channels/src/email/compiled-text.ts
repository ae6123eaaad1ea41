import type { Fragment, Hole } from '@tidings/messaging';
import { readTags } from './html-tags.ts';
import { textOfHtml } from './html-text.ts';

/** A noncharacter of Unicode, which no text should contain. */
const MARK = '\ufdd0';
const MARK_REFERENCES = /&#(?:x0*fdd0(?![0-9a-f])|0*64976(?!\d));?/gi;
/** The letters show whether the text around a hole has been changed to upper or lower case. */
const PLACES = new RegExp(`${MARK}(\\d+)xX${MARK}`);
const CHANGED_PLACE = new RegExp(`${MARK}\\d+(?:xx|XX)${MARK}`);
/** Longer HTML is read per recipient: with its text it could exceed what a letter may have. */
const HTML_MAX = 131_072;

const keyOf = (hole: Hole): string => (hole.kind === 'tag' ? `${hole.tag} ${hole.format} ${hole.fallback}` : hole.kind);

const DECIDING_STYLE = new RegExp(
  `(?:^|;)\\s*(?:${MARK}|(?:display|visibility|text-transform|white-space|float|position)\\s*:[^;]*${MARK})`,
  'i',
);

/** Whether a value decides what is shown: a style, or an address, which is named in the text if its scheme allows it. */
function decidesText(html: string): boolean {
  const hasSheets = /<style\b/i.test(html);
  let isDeciding = false;
  let isStyle = false;
  readTags(html, {
    open: (name, attributes) => {
      isStyle = name === 'style';
      const valueOf = (attribute: string): string => attributes.get(attribute)?.value ?? '';
      const isAddress = name === 'a' && valueOf('href').trimStart().startsWith(MARK);
      const isSelected = hasSheets && (valueOf('class') + valueOf('id')).includes(MARK);
      if (isAddress || isSelected || DECIDING_STYLE.test(valueOf('style'))) isDeciding = true;
    },
    close: () => (isStyle = false),
    text: (text) => {
      if (isStyle && text.includes(MARK)) isDeciding = true;
    },
  });
  return isDeciding;
}

/**
 * The plain text of HTML, so that HTML need not be read for each recipient. Undefined for HTML whose text depends on the values of a recipient: those that
 * are inserted as markup, begin the address of a link, or are part of a style.
 */
export function compiledText(html: Fragment): Fragment | undefined {
  const holes: Hole[] = [];
  const known = new Map<string, number>();
  let marked = '';
  for (const part of html) {
    if (typeof part === 'string') marked += part.replaceAll(MARK, '\ufffd').replace(MARK_REFERENCES, '\ufffd');
    else if (part.kind !== 'tag' || part.encoding !== 'html') return undefined;
    else {
      const key = keyOf(part);
      const index = known.get(key) ?? holes.push({ ...part, encoding: 'text' }) - 1;
      known.set(key, index);
      marked += `${MARK}${index}xX${MARK}`;
    }
  }
  if (marked.length > HTML_MAX || (holes.length > 0 && decidesText(marked))) return undefined;
  const text = textOfHtml(marked);
  if (CHANGED_PLACE.test(text)) return undefined;
  // The pattern has one group, so every other part is the number of a hole.
  return text.split(PLACES).map((part, i) => (i % 2 === 0 ? part : holes[Number(part)]!));
}
