/** Outside the repository, so that a fresh checkout finds it. */
export const cache: string;
export function hasGo(): boolean;
/** @throws if Go is missing or cannot build it */
export function builtOnce(program: {
  readonly path: string;
  readonly module: string;
  /** Of `go install`. */
  readonly flags?: readonly string[];
}): Promise<void>;
/** @returns the folder of the downloaded module */
export function moduleFolder(module: string): Promise<string>;
