import type { Fragment, Hole } from '@tidings/messaging';
import { readTags } from './html-tags.ts';
import { textOfHtml } from './html-text.ts';

/** A noncharacter, which no text should contain. */
const MARK = '\ufdd0';
const MARK_REFERENCES = /&#(?:x0*fdd0(?![0-9a-f])|0*64976(?!\d));?/gi;
const PLACEHOLDERS = new RegExp(`${MARK}(\\d+)xX${MARK}`);
const CHANGED_PLACEHOLDER = new RegExp(`${MARK}\\d+(?:xx|XX)${MARK}`);
/** Longer HTML could exceed a letter together with its text. */
const HTML_MAX = 131_072;

const keyOf = (hole: Hole): string => (hole.kind === 'tag' ? `${hole.tag} ${hole.format} ${hole.fallback}` : hole.kind);

const DECIDING_STYLE = new RegExp(
  `(?:^|;)\\s*(?:${MARK}|(?:display|visibility|text-transform|white-space|float|position)\\s*:[^;]*${MARK})`,
  'i',
);

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

/** Values in markup, links or styles may decide the text; then it is undefined. */
export function compiledText(html: Fragment): Fragment | undefined {
  const holes: Hole[] = [];
  const numbers = new Map<string, number>();
  let marked = '';
  for (const part of html) {
    if (typeof part === 'string') marked += part.replaceAll(MARK, '\ufffd').replace(MARK_REFERENCES, '\ufffd');
    else if (part.kind !== 'tag' || part.encoding !== 'html') return undefined;
    else {
      const key = keyOf(part);
      const index = numbers.get(key) ?? holes.push({ ...part, encoding: 'text' }) - 1;
      numbers.set(key, index);
      marked += `${MARK}${index}xX${MARK}`;
    }
  }
  if (marked.length > HTML_MAX || (holes.length > 0 && decidesText(marked))) return undefined;
  const text = textOfHtml(marked);
  if (CHANGED_PLACEHOLDER.test(text)) return undefined;
  return text.split(PLACEHOLDERS).map((part, i) => (i % 2 === 0 ? part : holes[Number(part)]!));
}
