/** What is kept of jobs beside their log, and goes with them. */
export interface Remains {
  remove(jobs: readonly string[]): Promise<void>;
  /** What never became a job's, or outlived it. */
  removeBefore(at: Date): Promise<void>;
}
