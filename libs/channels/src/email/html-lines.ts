const BLANKS = /[ \t\r\n\f]+/g;

export class TextLines {
  readonly #parts: string[] = [];
  #breaks = 0;
  #hasSpace = false;
  #marker = '';
  #link: { readonly address: string; text: string } | undefined;

  line(): void {
    this.#breaks = Math.max(this.#breaks, 1);
  }

  paragraph(): void {
    this.#breaks = 2;
  }

  break(): void {
    this.#breaks = Math.min(this.#breaks + 1, 2);
  }

  space(): void {
    this.#hasSpace = true;
  }

  item(): void {
    this.#marker = '- ';
  }

  endItem(): void {
    this.#marker = '';
  }

  flow(text: string): void {
    const collapsed = text.replace(BLANKS, ' ');
    if (collapsed.startsWith(' ')) this.space();
    const words = collapsed.slice(
      collapsed.startsWith(' ') ? 1 : 0,
      collapsed.length > 1 && collapsed.endsWith(' ') ? -1 : undefined,
    );
    if (words !== '') this.#write(words);
    if (collapsed.endsWith(' ')) this.space();
  }

  preformatted(text: string): void {
    const lines = text.split(/\r\n|\r|\n/);
    for (const [i, line] of lines.entries()) {
      if (i > 0) this.break();
      if (line !== '') this.#write(line);
    }
  }

  openLink(address: string): void {
    this.closeLink();
    this.#link = { address, text: '' };
  }

  closeLink(): void {
    const link = this.#link;
    this.#link = undefined;
    if (!link) return;
    const text = link.text.trim();
    if (text === '') {
      this.space();
      this.#write(`<${link.address}>`);
      this.space();
    }
    if (text !== '' && text !== link.address) this.#parts.push(` <${link.address}>`);
  }

  toString(): string {
    return this.#parts.join('');
  }

  #write(text: string): void {
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
