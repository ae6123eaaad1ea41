export interface Finding {
  /** A problem stops something from working; a warning may be intended. */
  readonly severity: 'problem' | 'warning';
  readonly text: string;
  readonly remedy: string;
}

export interface Checked {
  readonly check: string;
  readonly findings: readonly Finding[];
  readonly skipped?: string;
}

export const problem = (text: string, remedy: string): Finding => ({ severity: 'problem', text, remedy });
export const warning = (text: string, remedy: string): Finding => ({ severity: 'warning', text, remedy });
