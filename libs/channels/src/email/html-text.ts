import {
  BLOCKS,
  CELLS,
  CONTROLS,
  FORMATTING,
  frameOf,
  HEADINGS,
  HIDDEN,
  IMPLIED_ENDS,
  IN_HEAD,
  IN_TABLE,
  PARAGRAPHS,
  PREFORMATTED,
  SCOPES,
  SHOWN_WITHIN,
  TABLE_FRAMES,
  VOID,
} from './html-elements.ts';
import { TextLines } from './html-lines.ts';
import { type StyledElement, type StyleProperty, styledElement, StyleSheets } from './html-styles.ts';
import { type HtmlAttributes, readTags } from './html-tags.ts';
import { untracked } from './mail-links.ts';

type Layout = 'none' | 'inline' | 'block' | 'paragraph' | 'cell';

interface OpenElement extends StyledElement {
  readonly layout: Layout;
  readonly isHidden: boolean;
  readonly visibility: string;
  readonly transform: string;
  readonly isPreformatted: boolean;
  readonly shown: ReadonlySet<string> | undefined;
  readonly around: TextLines;
  readonly lines: TextLines;
}

/** Deeper elements belong to the outer ones, as in browsers. */
const DEPTH_MAX = 512;

const rootOf = (lines: TextLines): OpenElement => ({
  name: '',
  id: '',
  classes: new Set(),
  layout: 'block',
  isHidden: false,
  visibility: 'visible',
  transform: 'none',
  isPreformatted: false,
  shown: undefined,
  around: lines,
  lines,
});

const isBlock = (name: string): boolean => BLOCKS.has(name) || PARAGRAPHS.has(name) || CELLS.has(name);

const defaultLayout = (name: string): Layout => {
  if (HIDDEN.has(name)) return 'none';
  if (PARAGRAPHS.has(name)) return 'paragraph';
  if (CELLS.has(name)) return 'cell';
  return BLOCKS.has(name) ? 'block' : 'inline';
};

const LAYOUTS: Readonly<Record<string, Layout>> = {
  none: 'none',
  inline: 'inline',
  'inline-block': 'inline',
  'inline-flex': 'inline',
  'inline-table': 'inline',
  contents: 'inline',
  block: 'block',
  flex: 'block',
  grid: 'block',
  'flow-root': 'block',
  'list-item': 'block',
  table: 'block',
  'table-row': 'block',
  'table-caption': 'block',
  'table-cell': 'cell',
};

const isOutOfFlow = (style: ReadonlyMap<StyleProperty, string>): boolean =>
  /^(?:left|right)$/.test(style.get('float') ?? '') || /^(?:absolute|fixed)$/.test(style.get('position') ?? '');

function layoutOf(name: string, attributes: HtmlAttributes, style: ReadonlyMap<StyleProperty, string>): Layout {
  const own = defaultLayout(name);
  if (own === 'none') return 'none';
  const isClosed = attributes.has('hidden') || (name === 'dialog' && !attributes.has('open'));
  const display = style.get('display') ?? (isClosed ? 'none' : '');
  const layout = LAYOUTS[display] ?? own;
  if (layout === 'block' && own === 'paragraph') return 'paragraph';
  return layout === 'inline' && isOutOfFlow(style) ? 'block' : layout;
}

function isPreformatted(name: string, style: ReadonlyMap<StyleProperty, string>): boolean | undefined {
  const whiteSpace = style.get('white-space');
  if (whiteSpace !== undefined) return /^(?:pre|break-spaces)/.test(whiteSpace);
  return PREFORMATTED.has(name) ? true : undefined;
}

const transforms: Readonly<Record<string, (text: string) => string>> = {
  uppercase: (text) => text.toUpperCase(),
  lowercase: (text) => text.toLowerCase(),
  capitalize: (text) =>
    text.replace(
      /(^|[^\p{L}\p{M}\p{N}'’])(\p{L})/gu,
      (_, before: string, letter: string) => before + letter.toUpperCase(),
    ),
};

function addressOf(attributes: HtmlAttributes): string | undefined {
  const href =
    attributes
      .get('href')
      ?.value.replace(/[\t\r\n]/g, '')
      .trim() ?? '';
  const address = untracked(href).replace(/[<>]/g, encodeURIComponent);
  return /^(https?|mailto|tel):/i.test(address) ? address : undefined;
}

/** Time and memory are linear in the length. */
class TextReader {
  readonly #open: OpenElement[] = [];
  readonly #styles = new StyleSheets();
  readonly #root = rootOf(new TextLines());
  #css = '';

  open(name: string, attributes: HtmlAttributes): void {
    if (this.#isIgnored(name)) return;
    if (IN_TABLE.has(name)) this.#enterFrame(frameOf(name));
    if (this.#top.name === 'head' && !IN_HEAD.has(name)) this.#pop();
    if (HEADINGS.has(name) && HEADINGS.has(this.#top.name)) this.#pop();
    this.#endImplied(name);
    const element = this.#elementOf(name, attributes);
    if (!element.isHidden) this.#begin(element, attributes);
    if (!VOID.has(name) && this.#open.length < DEPTH_MAX) this.#open.push(element);
  }

  close(name: string): void {
    if (name === 'br') this.#top.lines.break();
    if (name === 'body' || name === 'html' || VOID.has(name)) return;
    const at = this.#indexOf(name);
    if (at < 0) {
      if (name === 'p' && !this.#top.isHidden) this.#top.lines.paragraph();
    } else if (FORMATTING.has(name)) this.#end(this.#open.splice(at, 1)[0]!);
    else while (this.#open.length > at) this.#pop();
  }

  text(text: string): void {
    if (this.#top.name === 'style') {
      this.#css += text;
      return;
    }
    const isBlank = !/[^ \t\r\n\f]/.test(text);
    if (this.#top.name === 'head' && !isBlank) this.#pop();
    const { isHidden, shown, visibility, transform, isPreformatted, lines } = isBlank ? this.#top : this.#parentOf('');
    if (isHidden || shown || visibility !== 'visible') return;
    const transformed = transforms[transform]?.(text) ?? text;
    if (isPreformatted) lines.preformatted(transformed);
    else lines.flow(transformed);
  }

  finish(): string {
    while (this.#open.length > 0) this.#pop();
    return this.#root.lines.toString().trim();
  }

  get #top(): OpenElement {
    return this.#open.at(-1) ?? this.#root;
  }

  #isIgnored(name: string): boolean {
    if (IN_TABLE.has(name)) return this.#tableIndex < 0;
    return /^(?:html|body)$/.test(name) && this.#open.some((each) => each.name !== 'html' && each.name !== 'head');
  }

  get #tableIndex(): number {
    return this.#open.findLastIndex(({ name }) => name === 'table');
  }

  #enterFrame(frames: ReadonlySet<string>): void {
    while (!frames.has(this.#top.name)) this.#pop();
  }

  #parentOf(name: string): OpenElement {
    const isMoved = TABLE_FRAMES.has(this.#top.name) && !IN_TABLE.has(name) && !HIDDEN.has(name);
    return isMoved ? (this.#open[this.#tableIndex - 1] ?? this.#root) : this.#top;
  }

  #elementOf(name: string, attributes: HtmlAttributes): OpenElement {
    const parent = this.#parentOf(name);
    const styled = styledElement(name, attributes);
    const style = this.#styles.styleOf(styled, attributes, this.#open);
    const layout = layoutOf(name, attributes, style);
    const around = parent.lines;
    return {
      ...styled,
      layout,
      isHidden: parent.isHidden || layout === 'none' || parent.shown?.has(name) === false,
      visibility: style.get('visibility') ?? parent.visibility,
      transform: style.get('text-transform') ?? (CONTROLS.has(name) ? 'none' : parent.transform),
      isPreformatted: isPreformatted(name, style) ?? parent.isPreformatted,
      shown: name === 'details' && attributes.has('open') ? undefined : SHOWN_WITHIN.get(name),
      around,
      lines: name === 'table' ? new TextLines() : around,
    };
  }

  #begin(element: OpenElement, attributes: HtmlAttributes): void {
    const { name, lines } = element;
    if (name === 'br') lines.break();
    else this.#separate(element);
    if (name === 'li' && element.layout === 'block') lines.item();
    if (PREFORMATTED.has(name)) lines.skipLineEnd();
    const address = name === 'a' ? addressOf(attributes) : undefined;
    if (address !== undefined) lines.openLink(address);
  }

  #separate({ layout, around }: OpenElement): void {
    if (layout === 'paragraph') around.paragraph();
    else if (layout === 'block') around.line();
    else if (layout === 'cell') around.space();
  }

  #pop(): void {
    const last = this.#open.pop();
    if (last) this.#end(last);
  }

  #end(element: OpenElement): void {
    const { name, lines, around } = element;
    if (name === 'style') {
      this.#styles.add(this.#css);
      this.#css = '';
    }
    if (element.isHidden) return;
    if (name === 'a') lines.closeLink();
    if (name === 'li') lines.endItem();
    this.#separate(element);
    if (lines === around) return;
    around.add(lines);
    this.#separate(element);
  }

  #indexOf(name: string): number {
    const isOfTable = IN_TABLE.has(name) || name === 'table' || name === 'template';
    const endsAtBlocks = !isBlock(name) && !HIDDEN.has(name) && !SCOPES.has(name) && !FORMATTING.has(name);
    const isEnd = (each: string): boolean =>
      each === 'table' || (SCOPES.has(each) && !isOfTable) || (endsAtBlocks && isBlock(each));
    const isTarget = (each = ''): boolean => each === name || (HEADINGS.has(name) && HEADINGS.has(each));
    const at = this.#open.findLastIndex(({ name: each }) => isTarget(each) || isEnd(each));
    return isTarget(this.#open[at]?.name) ? at : -1;
  }

  #endImplied(name: string): void {
    const rule = IMPLIED_ENDS.get(name);
    if (!rule) return;
    const at = this.#open.findLastIndex(({ name: each }) => rule.ends.has(each) || rule.within.has(each));
    if (at >= 0 && rule.ends.has(this.#open[at]!.name)) while (this.#open.length > at) this.#pop();
  }
}

export function textOfHtml(html: string): string {
  const reader = new TextReader();
  readTags(html, {
    open: (name, attributes) => reader.open(name, attributes),
    close: (name) => reader.close(name),
    text: (text) => reader.text(text),
  });
  return reader.finish();
}
