import { BLOCKS, CELLS, CONTROLS, HIDDEN, PARAGRAPHS, PREFORMATTED, SHOWN_WITHIN } from './html-elements.ts';
import { TextLines } from './html-lines.ts';
import { type Attributes, type StyledElement, type StyleProperty, styledElement, StyleSheets } from './html-styles.ts';
import { type HtmlElement, type HtmlNode, isElement, readHtml } from './html-tree.ts';
import { untracked } from './mail-links.ts';

type Layout = 'none' | 'inline' | 'block' | 'paragraph' | 'cell';

interface Inherited {
  readonly isHidden: boolean;
  readonly visibility: string;
  readonly transform: string;
  readonly isPreformatted: boolean;
  readonly shown: ReadonlySet<string> | undefined;
}

interface OpenElement extends StyledElement, Inherited {
  readonly nodes: Iterator<HtmlNode, undefined>;
  readonly layout: Layout;
}

const INITIAL: Inherited = {
  isHidden: false,
  visibility: 'visible',
  transform: 'none',
  isPreformatted: false,
  shown: undefined,
};

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

function layoutOf(name: string, attributes: Attributes, style: ReadonlyMap<StyleProperty, string>): Layout {
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

function addressOf(attributes: Attributes): string | undefined {
  const href =
    attributes
      .get('href')
      ?.replace(/[\t\r\n]/g, '')
      .trim() ?? '';
  const address = untracked(href).replace(/[<>]/g, encodeURIComponent);
  return /^(https?|mailto|tel):/i.test(address) ? address : undefined;
}

/** Time and memory are linear in the length. */
class TextReader {
  readonly #open: OpenElement[] = [];
  readonly #styles = new StyleSheets();
  readonly #lines = new TextLines();

  read(root: HtmlElement): string {
    this.#begin(root, INITIAL);
    for (let parent = this.#open.at(-1); parent; parent = this.#open.at(-1)) {
      const node = parent.nodes.next().value;
      if (node === undefined) this.#end(parent);
      else if (isElement(node)) this.#begin(node, parent);
      else if ('value' in node) this.#text(node.value, parent);
    }
    return this.#lines.toString().trim();
  }

  #begin(node: HtmlElement, parent: Inherited): void {
    const attributes: Attributes = new Map(node.attrs.map(({ name, value }) => [name, value]));
    const element = this.#elementOf(node, attributes, parent);
    this.#open.push(element);
    if (element.isHidden) return;
    const { name, layout } = element;
    if (name === 'br') this.#lines.break();
    else this.#separate(layout);
    if (name === 'li' && layout === 'block') this.#lines.item();
    const address = name === 'a' ? addressOf(attributes) : undefined;
    if (address !== undefined) this.#lines.openLink(address);
  }

  #elementOf({ tagName: name, childNodes }: HtmlElement, attributes: Attributes, parent: Inherited): OpenElement {
    const styled = styledElement(name, attributes);
    const style = this.#styles.styleOf(styled, attributes, this.#open);
    const layout = layoutOf(name, attributes, style);
    return {
      ...styled,
      nodes: childNodes.values(),
      layout,
      isHidden: parent.isHidden || layout === 'none' || parent.shown?.has(name) === false,
      visibility: style.get('visibility') ?? parent.visibility,
      transform: style.get('text-transform') ?? (CONTROLS.has(name) ? 'none' : parent.transform),
      isPreformatted: isPreformatted(name, style) ?? parent.isPreformatted,
      shown: name === 'details' && attributes.has('open') ? undefined : SHOWN_WITHIN.get(name),
    };
  }

  #text(text: string, { name, isHidden, shown, visibility, transform, isPreformatted }: OpenElement): void {
    if (name === 'style') this.#styles.add(text);
    if (isHidden || shown || visibility !== 'visible') return;
    const transformed = transforms[transform]?.(text) ?? text;
    if (isPreformatted) this.#lines.preformatted(transformed);
    else this.#lines.flow(transformed);
  }

  #end({ name, layout, isHidden }: OpenElement): void {
    this.#open.pop();
    if (isHidden) return;
    if (name === 'a') this.#lines.closeLink();
    if (name === 'li') this.#lines.endItem();
    this.#separate(layout);
  }

  #separate(layout: Layout): void {
    if (layout === 'paragraph') this.#lines.paragraph();
    else if (layout === 'block') this.#lines.line();
    else if (layout === 'cell') this.#lines.space();
  }
}

export function textOfHtml(html: string): string {
  const root = readHtml(html);
  return root ? new TextReader().read(root) : '';
}
