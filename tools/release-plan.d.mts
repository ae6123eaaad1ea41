export interface ReleaseStep {
  readonly what: string;
  readonly needs?: string;
  readonly command: readonly string[];
  /** File that gets the command's standard output. */
  readonly output?: string;
}

/** What a release does, in order. */
export function releasePlan(options: {
  readonly version: string;
  readonly revision: string;
  readonly registry: string;
  readonly apps: readonly string[];
  /** Folders. */
  readonly packages: readonly string[];
  /** @default helm */
  readonly helm?: string;
  readonly folder: string;
}): readonly ReleaseStep[];

/** @returns what prevents a release, a sentence each */
export function releaseFaults(texts: {
  readonly version: string;
  readonly changelog: string;
  readonly chart: string;
  readonly dockerfile: string;
  /** Of `git status --porcelain`. */
  readonly status: string;
}): string[];
