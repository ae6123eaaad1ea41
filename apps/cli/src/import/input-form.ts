export interface Input {
  readonly path: string;
  readonly isPacked: boolean;
  readonly kind: 'csv' | 'json';
  readonly delimiter: string;
}

export interface Limits {
  readonly lineBytes: number;
  readonly columns: number;
}

export const LIMITS: Limits = { lineBytes: 1024 * 1024, columns: 1_000 };
