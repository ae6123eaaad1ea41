import { Refusal } from '@tidings/kernel';

export type Token =
  | { readonly kind: 'mark'; readonly text: string; readonly at: number }
  | { readonly kind: 'text' | 'word'; readonly text: string; readonly at: number }
  | { readonly kind: 'end'; readonly text: ''; readonly at: number };

const SPACE = /\s/;
const PUNCTUATION = new Set('()[],*+\\');
const QUOTES = new Set('"\'');
const BEFORE_VALUES = new Set('([,');
const NUMBER = /[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?/y;

export const syntaxError = (source: string, at: number, reason: string): Refusal =>
  new Refusal(`${reason} at position ${Array.from(source.slice(0, at)).length}`);

function quoted(source: string, start: number): { readonly text: string; readonly end: number } {
  const quote = source[start];
  const parts: string[] = [];
  let from = start + 1;
  for (let at = from; at < source.length; at++) {
    if (source[at] === quote) return { text: parts.join('') + source.slice(from, at), end: at + 1 };
    if (source[at] !== '\\' || !(QUOTES.has(source[at + 1]!) || source[at + 1] === '\\')) continue;
    parts.push(source.slice(from, at));
    from = ++at;
  }
  throw syntaxError(source, start, 'text without an end');
}

const endsWord = (character: string): boolean =>
  SPACE.test(character) || PUNCTUATION.has(character) || QUOTES.has(character);

function endOfNumber(source: string, at: number): number {
  NUMBER.lastIndex = at;
  return NUMBER.test(source) ? NUMBER.lastIndex : at;
}

export function* tokensOf(source: string): Generator<Token, void> {
  let at = 0;
  let before = '';
  while (at < source.length) {
    const character = source[at]!;
    const numberEnd = BEFORE_VALUES.has(before) ? endOfNumber(source, at) : at;
    if (SPACE.test(character)) {
      at++;
    } else if (PUNCTUATION.has(character) && numberEnd === at) {
      yield { kind: 'mark', text: character, at: at++ };
      before = character;
    } else if (QUOTES.has(character)) {
      const { text, end } = quoted(source, at);
      yield { kind: 'text', text, at };
      at = end;
      before = '';
    } else {
      let end = Math.max(at + 1, numberEnd);
      while (end < source.length && !endsWord(source[end]!)) end++;
      yield { kind: 'word', text: source.slice(at, end), at };
      at = end;
      before = '';
    }
  }
  yield { kind: 'end', text: '', at };
}
