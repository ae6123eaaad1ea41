import { Refusal } from '@tidings/kernel';
import { MAX_DEPTH } from '../tree.ts';
import type { Argument, Call, Parsed, Syntax } from './syntax.ts';
import { syntaxError, type Token, tokensOf } from './language-tokens.ts';

export const MAX_LENGTH = 65_536;
const MAX_PARENTHESES = 1000;

const names: ReadonlyMap<string, Call['name']> = new Map([
  ['A', 'A'],
  ['APP', 'A'],
  ['APPLICATION', 'A'],
  ['T', 'T'],
  ['AT', 'AT'],
  ['TAG', 'AT'],
  ['G', 'G'],
  ['SEGMENT', 'Segment'],
]);

/** Its lists have no other owner, so they may grow. */
interface Deep {
  readonly syntax: Syntax;
  readonly depth: number;
}

/** Flattened, so that long lists stay flat. */
function joined(kind: 'all' | 'any', left: Deep, right: Deep): Deep {
  const of = left.syntax.kind === kind ? left.syntax.of : [left.syntax];
  const more = right.syntax.kind === kind ? right.syntax.of : [right.syntax];
  for (const each of more) of.push(each);
  const depthIn = ({ syntax, depth }: Deep): number => (syntax.kind === kind ? depth : depth + 1);
  return { syntax: { kind, of }, depth: Math.max(depthIn(left), depthIn(right)) };
}

class Parser {
  readonly #source: string;
  readonly #tokens: Iterator<Token, void>;
  #next: Token;
  #parentheses = 0;

  constructor(source: string) {
    this.#source = source;
    this.#tokens = tokensOf(source);
    this.#next = this.#tokens.next().value!;
  }

  expression(): Syntax {
    const { syntax } = this.#union();
    if (this.#next.kind !== 'end') throw this.#unexpected();
    return syntax;
  }

  #take(): Token {
    const token = this.#next;
    if (token.kind !== 'end') this.#next = this.#tokens.next().value!;
    return token;
  }

  #isMark(text: string): boolean {
    return this.#next.kind === 'mark' && this.#next.text === text;
  }

  #expect(text: string): Token {
    if (!this.#isMark(text)) throw this.#error(`"${text}" expected`);
    return this.#take();
  }

  #error(reason: string, at = this.#next.at): Refusal {
    return syntaxError(this.#source, at, reason);
  }

  #unexpected(): Refusal {
    const { kind, text } = this.#next;
    return this.#error(kind === 'end' ? 'unexpected end' : `unexpected "${text.slice(0, 32)}"`);
  }

  /** Equal precedence, left-associative (R-N5). */
  #union(): Deep {
    let left = this.#intersection();
    while (this.#isMark('+') || this.#isMark('\\')) {
      const { text, at } = this.#take();
      const { syntax, depth } = this.#intersection();
      left =
        text === '+'
          ? joined('any', left, { syntax, depth })
          : joined('all', left, { syntax: { kind: 'not', of: syntax }, depth: depth + 1 });
      if (left.depth > MAX_DEPTH) throw this.#tooDeep(at);
    }
    return left;
  }

  #intersection(): Deep {
    let left = this.#operand();
    while (this.#isMark('*')) {
      const { at } = this.#take();
      left = joined('all', left, this.#operand());
      if (left.depth > MAX_DEPTH) throw this.#tooDeep(at);
    }
    return left;
  }

  #tooDeep(at: number): Refusal {
    return this.#error('nested too deeply', at);
  }

  #operand(): Deep {
    if (!this.#isMark('(')) return { syntax: this.#call(), depth: 1 };
    const { at } = this.#take();
    if (++this.#parentheses > MAX_PARENTHESES) throw this.#tooDeep(at);
    const inside = this.#union();
    this.#expect(')');
    this.#parentheses--;
    return inside;
  }

  #call(): Call {
    if (this.#next.kind !== 'word')
      throw this.#next.kind === 'end' ? this.#unexpected() : this.#error('condition expected');
    const { text, at } = this.#take();
    const name = names.get(text.toUpperCase());
    this.#expect('(');
    if (!name) throw new Refusal(`${text} is not supported`);
    const given = this.#isMark(')') ? [] : this.#arguments(true);
    const { at: end } = this.#expect(')');
    return { kind: 'call', name, at, arguments: given, end };
  }

  #arguments(listsToo: boolean): Argument[] {
    const given = [this.#argument(listsToo)];
    while (this.#isMark(',')) {
      this.#take();
      given.push(this.#argument(listsToo));
    }
    return given;
  }

  #argument(listsToo: boolean): Argument {
    const { kind, at, text } = this.#next;
    if (kind === 'text' || kind === 'word') {
      this.#take();
      return { kind, text, at };
    }
    if (!listsToo || !this.#isMark('[')) throw kind === 'end' ? this.#unexpected() : this.#error('value expected');
    this.#take();
    const of = this.#isMark(']') ? [] : this.#arguments(false);
    this.#expect(']');
    return { kind: 'list', of, at };
  }
}

/** Linear time. @throws Refusal (R-N4, R-N5) */
export function parse(source: string): Parsed {
  if (source.length > MAX_LENGTH && Array.from(source).length > MAX_LENGTH) {
    throw new Refusal(`at most ${MAX_LENGTH} characters`);
  }
  return { source, syntax: new Parser(source).expression() };
}
