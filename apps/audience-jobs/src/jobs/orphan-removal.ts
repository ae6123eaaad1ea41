/** Removes documents of jobs beside their log. */
export interface OrphanRemoval {
  remove(jobs: readonly string[]): Promise<void>;
  /** Removes documents of no job, by age. */
  removeBefore(at: Date): Promise<void>;
}
