import { untracked } from './mail-links.ts';

/** Elements whose content is not shown. */
const HIDDEN: ReadonlySet<string> = new Set(['head', 'script', 'style', 'template', 'title']);
/** Elements that begin a line. */
const LINES: ReadonlySet<string> = new Set(
  'address article aside blockquote br dd div dl dt fieldset footer form h1 h2 h3 h4 h5 h6 header hr li main nav ol p pre section table tr ul'.split(
    ' ',
  ),
);
/** Elements that an empty line precedes and follows. */
const PARAGRAPHS: ReadonlySet<string> = new Set([
  'blockquote',
  'h1',
  'h2',
  'h3',
  'h4',
  'h5',
  'h6',
  'ol',
  'p',
  'table',
  'ul',
]);

const ENTITIES: Readonly<Record<string, string>> = {
  ...{ amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: '\u00a0', copy: '©', reg: '®', trade: '™', euro: '€' },
  ...{ hellip: '…', mdash: '—', ndash: '–', lsquo: '‘', rsquo: '’', ldquo: '“', rdquo: '”', shy: '' },
};

function characterOf(whole: string, hex: string | undefined, decimal: string | undefined): string {
  const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
  // Noncharacters, by which `compiledText` names placeholders.
  if (code >= 0xfdd0 && code <= 0xfdef) return '\ufffd';
  return code > 0 && code <= 0x10ffff && !(code >= 0xd800 && code < 0xe000) ? String.fromCodePoint(code) : whole;
}

/** A text with its entities replaced by their characters; unknown ones stay. */
export const decoded = (text: string): string =>
  text.replace(
    /&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|([a-z]{2,8}));/gi,
    (whole, hex: string | undefined, decimal: string | undefined, name: string | undefined) =>
      name === undefined ? characterOf(whole, hex, decimal) : (ENTITIES[name.toLowerCase()] ?? whole),
  );

/** A text in lower case whose offsets are the same: other characters than ASCII may become longer. */
export const asciiLower = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());

const HREF = /\shref\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>]+))/i;

/** The address of a link, where it is one that a text can name; of a link that counts clicks, its target. */
function linkIn(tag: string): string | undefined {
  const [, double, single, bare] = HREF.exec(tag) ?? [];
  const address = untracked(decoded(double ?? single ?? bare ?? ''));
  return /^(https?|mailto|tel):/i.test(address) ? address : undefined;
}

/** Reads HTML once, from the beginning to the end: its time is linear in the length, whatever it contains. */
class TextReader {
  readonly #html: string;
  readonly #lower: string;
  #text = '';
  /** The link that is open, and where its text began. */
  #link: { readonly address: string; readonly from: number } | undefined;

  constructor(html: string) {
    this.#html = html;
    this.#lower = asciiLower(html);
  }

  read(): string {
    let at = 0;
    while (at < this.#html.length) {
      const open = this.#html.indexOf('<', at);
      this.#say(this.#html.slice(at, open < 0 ? undefined : open));
      if (open < 0) break;
      at = this.#tag(open);
    }
    return this.#text;
  }

  /** Handles the tag or the comment at an index; returns the index behind it. */
  #tag(open: number): number {
    const comment = this.#html.startsWith('<!--', open);
    const close = this.#html.indexOf(comment ? '-->' : '>', open);
    if (close < 0) return this.#html.length;
    if (comment) return close + 3;
    const [, slash, name] = /^<(\/?)([a-z][a-z0-9]*)/.exec(this.#lower.slice(open, Math.min(close, open + 20))) ?? [];
    if (name === undefined) return close + 1;
    if (slash === '' && HIDDEN.has(name)) return this.#behind(name, close + 1);
    if (name === 'a') this.#anchor(slash === '' ? this.#html.slice(open, close) : undefined);
    else if (PARAGRAPHS.has(name)) this.#text += '\n\n';
    else if (LINES.has(name)) this.#text += '\n';
    else if (name === 'td' || name === 'th') this.#text += ' ';
    if (name === 'li' && slash === '') this.#text += '- ';
    return close + 1;
  }

  /** The index behind the end of a hidden element; one that does not end hides the rest. */
  #behind(name: string, from: number): number {
    const end = this.#lower.indexOf(`</${name}`, from);
    const close = end < 0 ? -1 : this.#html.indexOf('>', end);
    return close < 0 ? this.#html.length : close + 1;
  }

  #anchor(tag: string | undefined): void {
    const address = tag === undefined ? undefined : linkIn(tag);
    if (this.#link && this.#text.slice(this.#link.from).trim() !== this.#link.address) {
      this.#text += ` <${this.#link.address}>`;
    }
    this.#link = address === undefined ? undefined : { address, from: this.#text.length };
  }

  #say(part: string): void {
    this.#text += decoded(part.replace(/[ \t\r\n]+/g, ' '));
  }
}

/** A mail's HTML as plain text, for readers that show none: lines and paragraphs, links with their addresses, no markup. */
export const textOfHtml = (html: string): string =>
  new TextReader(html)
    .read()
    .split('\n')
    .map((line) => line.trim())
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim();
