export interface OrphanRemoval {
  remove(jobs: readonly string[]): Promise<void>;
  removeBefore(at: Date): Promise<void>;
}
