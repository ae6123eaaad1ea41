import { asciiLower, decoded } from './html-text.ts';

/** A link in HTML: where the value of its `href` begins and ends, and the value. */
export interface HtmlLink {
  readonly from: number;
  readonly to: number;
  /** The value without entities. */
  readonly href: string;
  /** The sender does not want it to be rewritten: `clicktracking="off"`. */
  readonly optedOut: boolean;
}

export interface HtmlLinks {
  /** Links in the order of the text. */
  readonly links: readonly HtmlLink[];
  /** End of the body: before its last end tag, or behind the whole text. */
  readonly bodyEnd: number;
}

interface Attribute {
  readonly name: string;
  readonly from: number;
  readonly to: number;
}

/** Elements with `href` that a reader follows. */
const LINKS: ReadonlySet<string> = new Set(['a', 'area']);
/** Elements whose content is no markup. */
const TEXTS: ReadonlySet<string> = new Set(['script', 'style', 'textarea', 'title', 'xmp']);

/** Reads the tags of HTML once, from the beginning to the end: its time is linear in the length, whatever it contains. */
class TagReader {
  readonly #html: string;
  readonly #lower: string;
  readonly #links: HtmlLink[] = [];
  #bodyEnd: number;

  constructor(html: string) {
    this.#html = html;
    this.#lower = asciiLower(html);
    this.#bodyEnd = html.length;
  }

  read(): HtmlLinks {
    let at = 0;
    while (at < this.#html.length) {
      const open = this.#html.indexOf('<', at);
      if (open < 0) break;
      at = this.#html.startsWith('<!--', open) ? this.#behind('-->', open + 2) : this.#tag(open);
    }
    return { links: this.#links, bodyEnd: this.#bodyEnd };
  }

  /** The index behind the next occurrence of a text; the end if there is none. */
  #behind(text: string, from: number): number {
    const at = this.#html.indexOf(text, from);
    return at < 0 ? this.#html.length : at + text.length;
  }

  /** The first index from `at` on whose character the pattern does not match. @param pattern sticky, matches any length */
  #after(pattern: RegExp, at: number): number {
    pattern.lastIndex = at;
    pattern.test(this.#html);
    return pattern.lastIndex;
  }

  /** Handles what a "<" begins; returns the index behind it. */
  #tag(open: number): number {
    const isEnd = this.#html[open + 1] === '/';
    const from = isEnd ? open + 2 : open + 1;
    if (!/[a-z]/i.test(this.#html[from] ?? '')) return open + 1;
    const nameEnd = this.#after(/[^\s/>]*/y, from);
    const name = this.#lower.slice(from, nameEnd);
    const { attributes, end } = this.#attributes(nameEnd);
    if (isEnd) {
      if (name === 'body') this.#bodyEnd = open;
      return end;
    }
    if (LINKS.has(name)) this.#link(attributes);
    if (!TEXTS.has(name)) return end;
    const close = this.#lower.indexOf(`</${name}`, end);
    return close < 0 ? this.#html.length : close;
  }

  /** The attributes of a tag, and the index behind it. A tag that does not end has none. */
  #attributes(at: number): { readonly attributes: readonly Attribute[]; readonly end: number } {
    const attributes: Attribute[] = [];
    for (;;) {
      at = this.#after(/[\s/]*/y, at);
      if (at >= this.#html.length) return { attributes: [], end: at };
      if (this.#html[at] === '>') return { attributes, end: at + 1 };
      const from = at;
      at = this.#after(/=?[^\s/>=]*/y, at);
      const name = this.#lower.slice(from, at);
      const sign = this.#after(/\s*/y, at);
      if (this.#html[sign] !== '=') {
        attributes.push({ name, from: at, to: at });
        continue;
      }
      const value = this.#value(this.#after(/\s*/y, sign + 1));
      attributes.push({ name, ...value });
      at = value.end;
    }
  }

  #value(at: number): { readonly from: number; readonly to: number; readonly end: number } {
    const quote = this.#html[at];
    if (quote !== '"' && quote !== "'") {
      const to = this.#after(/[^\s>]*/y, at);
      return { from: at, to, end: to };
    }
    const to = this.#html.indexOf(quote, at + 1);
    return to < 0 ? { from: at + 1, to: this.#html.length, end: this.#html.length } : { from: at + 1, to, end: to + 1 };
  }

  /** The first of several attributes of a name counts, as in browsers. */
  #link(attributes: readonly Attribute[]): void {
    const href = attributes.find(({ name }) => name === 'href');
    if (!href) return;
    const choice = attributes.find(({ name }) => name === 'clicktracking');
    this.#links.push({
      ...{ from: href.from, to: href.to, href: decoded(this.#html.slice(href.from, href.to)) },
      optedOut: choice !== undefined && this.#lower.slice(choice.from, choice.to).trim() === 'off',
    });
  }
}

/** The links of HTML, and the end of its body. Links in comments, scripts and styles are none. */
export const htmlLinks = (html: string): HtmlLinks => new TagReader(html).read();
