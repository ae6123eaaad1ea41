export type Argument =
  | { readonly kind: 'text' | 'word'; readonly text: string; readonly at: number }
  | { readonly kind: 'flag'; readonly value: boolean; readonly at: number }
  | { readonly kind: 'list'; readonly of: readonly Argument[]; readonly at: number };

export interface Call {
  readonly kind: 'call';
  readonly name: 'A' | 'T' | 'AT' | 'G' | 'Segment';
  readonly at: number;
  readonly arguments: readonly Argument[];
  readonly end: number;
}

export type Syntax =
  | { readonly kind: 'all' | 'any'; readonly of: Syntax[] }
  | { readonly kind: 'not'; readonly of: Syntax }
  | Call;

export interface Parsed {
  readonly source: string;
  readonly syntax: Syntax;
}
