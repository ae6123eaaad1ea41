/** Removes documents of jobs outside their log. */
export interface OrphanRemoval {
  remove(jobs: readonly string[]): Promise<void>;
  /** Removes documents without a job, by age. */
  removeBefore(at: Date): Promise<void>;
}
