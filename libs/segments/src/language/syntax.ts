/** A value in the arguments of a call. Words are unquoted, numbers included. Only structured filters have flags. */
export type Argument =
  | { readonly kind: 'text' | 'word'; readonly text: string; readonly at: number }
  | { readonly kind: 'flag'; readonly value: boolean; readonly at: number }
  | { readonly kind: 'list'; readonly of: readonly Argument[]; readonly at: number };

/** A condition as written, under its canonical name. */
export interface Call {
  readonly kind: 'call';
  readonly name: 'A' | 'T' | 'AT' | 'G' | 'Segment';
  readonly at: number;
  readonly arguments: readonly Argument[];
  /** End of its arguments. */
  readonly end: number;
}

/** An expression as written: sets, their intersections and unions, and complements (R-N5). */
export type Syntax =
  | { readonly kind: 'all' | 'any'; readonly of: Syntax[] }
  | { readonly kind: 'not'; readonly of: Syntax }
  | Call;

/** An expression and its source text. */
export interface Parsed {
  readonly source: string;
  readonly syntax: Syntax;
}
