/** A fault of a deployment, and what to do about it. */
export interface Finding {
  /** A problem stops something from working; a warning may be intended. */
  readonly severity: 'problem' | 'warning';
  readonly text: string;
  readonly remedy: string;
}

/** A check with its findings; none = it found nothing wrong. */
export interface Checked {
  readonly check: string;
  readonly findings: readonly Finding[];
  /** Why the check was not made. */
  readonly skipped?: string;
}

export const problem = (text: string, remedy: string): Finding => ({ severity: 'problem', text, remedy });
export const warning = (text: string, remedy: string): Finding => ({ severity: 'warning', text, remedy });
