/** A value between the parentheses of a call. Words are what stands there without quotes, numbers too. */
export type Argument =
  | { readonly kind: 'text' | 'word'; readonly text: string; readonly at: number }
  | { readonly kind: 'list'; readonly of: readonly Argument[]; readonly at: number };

/** A condition as it was written, by its proper name. */
export interface Call {
  readonly kind: 'call';
  readonly name: 'A' | 'T' | 'AT' | 'G' | 'Segment';
  readonly at: number;
  readonly arguments: readonly Argument[];
  /** Where its arguments end. */
  readonly end: number;
}

/** An expression as it was written: sets, what is in all or any of them, and what is not in one (R-N5). */
export type Syntax =
  { readonly kind: 'all' | 'any'; readonly of: Syntax[] } | { readonly kind: 'not'; readonly of: Syntax } | Call;

/** An expression and the text that it was read from. */
export interface Parsed {
  readonly source: string;
  readonly syntax: Syntax;
}

/** What an expression is refused for: the reason alone, without the field that holds it. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
}
