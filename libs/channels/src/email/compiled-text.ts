import type { Fragment, Hole } from '@tidings/messaging';
import { textOfHtml } from './html-text.ts';

/** A noncharacter of Unicode, which no text should contain. */
const MARK = '\ufdd0';
const PLACES = new RegExp(`${MARK}(\\d+)${MARK}`);
/** Longer HTML is read per recipient: with its text it could exceed what a letter may have. */
const HTML_MAX = 131_072;

const keyOf = (hole: Hole): string => (hole.kind === 'tag' ? `${hole.tag} ${hole.format} ${hole.fallback}` : hole.kind);

/**
 * The plain text of HTML, so that HTML need not be read for each recipient. Undefined for HTML whose text depends on the values of a recipient: those that
 * are inserted as markup.
 */
export function compiledText(html: Fragment): Fragment | undefined {
  const holes: Hole[] = [];
  const known = new Map<string, number>();
  let marked = '';
  for (const part of html) {
    if (typeof part === 'string') marked += part.replaceAll(MARK, '\ufffd');
    else if (part.kind !== 'tag' || part.encoding !== 'html') return undefined;
    else {
      const key = keyOf(part);
      const index = known.get(key) ?? holes.push({ ...part, encoding: 'text' }) - 1;
      known.set(key, index);
      marked += MARK + index + MARK;
    }
  }
  if (marked.length > HTML_MAX) return undefined;
  // The pattern has one group, so every other part is the number of a hole.
  return textOfHtml(marked)
    .split(PLACES)
    .map((part, i) => (i % 2 === 0 ? part : holes[Number(part)]!));
}
