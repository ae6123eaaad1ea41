import { QuoteType, Tokenizer } from 'htmlparser2';

export interface HtmlAttribute {
  readonly value: string;
  readonly from: number;
  readonly to: number;
}

export type HtmlAttributes = ReadonlyMap<string, HtmlAttribute>;

export interface TagHandler {
  readonly open?: (name: string, attributes: HtmlAttributes) => void;
  readonly close?: (name: string, at: number) => void;
  readonly text?: (text: string) => void;
}

const EQUALS = /[ \t\r\n\f]*=[ \t\r\n\f]*/y;

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
  // "<![CDATA[" begins a comment up to the next ">"; the tokenizer does so in lower case only.
  tokenizer.write(html.replaceAll('<![CDATA[', '<![cdata['));
  tokenizer.end();
}
