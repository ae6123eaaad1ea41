import { QuoteType, Tokenizer } from 'htmlparser2';

export interface HtmlAttribute {
  /** Without entities. */
  readonly value: string;
  /** Where the value begins and ends in the HTML. */
  readonly from: number;
  readonly to: number;
}

/** Attributes by their lower-case names; of several with the same name the first one counts, as in browsers. */
export type HtmlAttributes = ReadonlyMap<string, HtmlAttribute>;

export interface TagHandler {
  readonly open?: (name: string, attributes: HtmlAttributes) => void;
  /** @param at where the end tag begins */
  readonly close?: (name: string, at: number) => void;
  /** A part of a text, without entities. */
  readonly text?: (text: string) => void;
}

const EQUALS = /[ \t\r\n\f]*=[ \t\r\n\f]*/y;

/** Reads tags and texts of HTML once, in their order. The time is linear in the length. */
export function readTags(html: string, { open, close, text }: TagHandler): void {
  let tag = '';
  let attributes = new Map<string, HtmlAttribute>();
  let name = '';
  let nameEnd = 0;
  let value = '';

  const valueStart = (isQuoted: boolean): number => {
    EQUALS.lastIndex = nameEnd;
    EQUALS.test(html);
    return EQUALS.lastIndex + (isQuoted ? 1 : 0);
  };
  const opened = (): void => open?.(tag, attributes);

  const tokenizer = new Tokenizer(
    {},
    {
      ontext: (start, end) => text?.(html.slice(start, end)),
      ontextentity: (codePoint) => text?.(String.fromCodePoint(codePoint)),
      onopentagname: (start, end) => {
        tag = html.slice(start, end).toLowerCase();
        attributes = new Map();
      },
      onattribname: (start, end) => {
        [name, nameEnd, value] = [html.slice(start, end).toLowerCase(), end, ''];
      },
      onattribdata: (start, end) => (value += html.slice(start, end)),
      onattribentity: (codePoint) => (value += String.fromCodePoint(codePoint)),
      onattribend: (quote, end) => {
        if (attributes.has(name)) return;
        if (quote === QuoteType.NoValue) attributes.set(name, { value: '', from: nameEnd, to: nameEnd });
        else {
          const isQuoted = quote !== QuoteType.Unquoted;
          attributes.set(name, { value, from: valueStart(isQuoted), to: isQuoted ? end - 1 : end });
        }
      },
      onopentagend: opened,
      onselfclosingtag: opened,
      onclosetag: (start, end) => close?.(html.slice(start, end).toLowerCase(), html.lastIndexOf('<', start)),
      oncomment: () => undefined,
      oncdata: () => undefined,
      ondeclaration: () => undefined,
      onprocessinginstruction: () => undefined,
      onend: () => undefined,
    },
  );
  // In HTML, "<![CDATA[" begins a comment up to the next ">"; in lower case it does so for the tokenizer, too.
  tokenizer.write(html.replaceAll('<![CDATA[', '<![cdata['));
  tokenizer.end();
}
