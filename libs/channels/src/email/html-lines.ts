const BLANKS = /[ \t\r\n\f]+/g;

/** A text in lines, whose white space is collapsed as browsers do it. */
export class TextLines {
  readonly #parts: string[] = [];
  /** Line ends before the next word. */
  #breaks = 0;
  /** A space before the next word of the same line. */
  #hasSpace = false;
  #marker = '';
  #skipsLineEnd = false;
  #link: { readonly address: string; text: string } | undefined;

  /** Begins a line. */
  line(): void {
    this.#breaks = Math.max(this.#breaks, 1);
  }

  /** Begins a paragraph. */
  paragraph(): void {
    this.#breaks = 2;
  }

  /** Ends the line, also an empty one. */
  break(): void {
    this.#breaks = Math.min(this.#breaks + 1, 2);
  }

  space(): void {
    this.#hasSpace = true;
  }

  /** The next word begins an item of a list. */
  item(): void {
    this.#marker = '- ';
  }

  endItem(): void {
    this.#marker = '';
  }

  /** A line end that comes next is left out. */
  skipLineEnd(): void {
    this.#skipsLineEnd = true;
  }

  flow(text: string): void {
    const collapsed = text.replace(BLANKS, ' ');
    if (collapsed.startsWith(' ')) this.space();
    const words = collapsed.slice(
      collapsed.startsWith(' ') ? 1 : 0,
      collapsed.length > 1 && collapsed.endsWith(' ') ? -1 : undefined,
    );
    if (words !== '') this.#say(words);
    if (collapsed.endsWith(' ')) this.space();
    this.#skipsLineEnd = false;
  }

  preformatted(text: string): void {
    const lines = text.split(/\r\n|\r|\n/);
    if (this.#skipsLineEnd && lines.length > 1 && lines[0] === '') lines.shift();
    this.#skipsLineEnd = false;
    for (const [i, line] of lines.entries()) {
      if (i > 0) this.break();
      if (line !== '') this.#say(line);
    }
  }

  openLink(address: string): void {
    this.closeLink();
    this.#link = { address, text: '' };
  }

  /** Adds the address of a link behind its text, unless the text is the address. */
  closeLink(): void {
    const link = this.#link;
    this.#link = undefined;
    if (!link) return;
    const text = link.text.trim();
    // Breaks that are due come behind the address.
    if (text === '') {
      this.space();
      this.#say(`<${link.address}>`);
      this.space();
    }
    if (text !== '' && text !== link.address) this.#parts.push(` <${link.address}>`);
  }

  /** Adds the words of other lines. */
  add(lines: TextLines): void {
    const text = lines.toString();
    if (text !== '') this.#say(text);
  }

  toString(): string {
    return this.#parts.join('');
  }

  #say(text: string): void {
    let before = '';
    if (this.#parts.length > 0 && this.#breaks > 0) before = '\n'.repeat(this.#breaks);
    else if (this.#parts.length > 0 && this.#hasSpace) before = ' ';
    this.#breaks = 0;
    this.#hasSpace = false;
    this.#parts.push(before + this.#marker + text);
    this.#marker = '';
    if (this.#link) this.#link.text += (this.#link.text === '' ? '' : before) + text;
  }
}
