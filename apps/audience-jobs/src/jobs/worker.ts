import type { LogWriter } from '@tidings/event-store';
import type { JobPieceProcessed } from '@tidings/events';
import type { Job, JobAction } from '@tidings/jobs';
import { type Clock, Fault, randomBase62 } from '@tidings/kernel';
import { every, Lease, type Logger, passing, type Periodic } from '@tidings/runtime';
import type { Db } from 'mongodb';
import { type JobCommand, logOfJob } from './log.ts';
import type { JobStore } from './store.ts';

/** Jobs that a process works on side by side; the others wait their turn. */
const JOBS_AT_ONCE = 2;
const LOOK_EVERY_MS = 1_000;
const LEASE_MS = 10_000;
const RENEW_EVERY_MS = 3_000;
const OWNER_LENGTH = 16;

export interface WorkerParts {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly store: JobStore;
  readonly writer: LogWriter<JobCommand, Job>;
  /** Gives the entries of a job's next piece their results. */
  readonly process: (job: Job) => Promise<JobPieceProcessed>;
}

/**
 * Works pending jobs through, piece by piece, two at a time, the oldest first; bulk jobs of one application one after the other. Of several processes
 * one has a job, by a lease; after a crash another one, or the next start, goes on with the piece at hand when the lease has run out.
 */
export class Worker {
  readonly #parts: WorkerParts;
  readonly #owner = randomBase62(OWNER_LENGTH);
  readonly #running = new Map<string, Promise<void>>();
  readonly #looking: Periodic;
  #stopping = false;

  constructor(parts: WorkerParts) {
    this.#parts = parts;
    const options = { name: 'bulk jobs', log: parts.log, immediately: true };
    this.#looking = every(LOOK_EVERY_MS, () => this.#look(), options);
  }

  /** Hears that there may be something to do. */
  wake(): void {
    void this.#looking.now();
  }

  /** Ends with the pieces under way. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#looking.stop();
    await Promise.all(this.#running.values());
  }

  async #look(): Promise<void> {
    if (this.#running.size >= JOBS_AT_ONCE) return;
    // Some may be another process's.
    for await (const job of this.#parts.store.startable()) {
      if (this.#stopping) return;
      if (this.#running.has(job.id)) continue;
      const lease = new Lease(this.#parts.db, this.#parts.clock, `jobs/${job.id}`, this.#owner);
      if (!(await lease.take(LEASE_MS))) continue;
      const run = this.#run(job.id, lease).finally(() => {
        this.#running.delete(job.id);
        this.wake();
      });
      this.#running.set(job.id, run);
      if (this.#running.size >= JOBS_AT_ONCE) return;
    }
  }

  /** Never rejects: what may pass is met again by a later look. */
  async #run(id: string, lease: Lease): Promise<void> {
    const { log, store } = this.#parts;
    let held = true;
    const renewal = every(
      RENEW_EVERY_MS,
      async () => {
        held = await lease.take(LEASE_MS);
      },
      { name: 'lease of a bulk job', log },
    );
    try {
      let job = await store.find(id);
      while (job?.status === 'Pending' && job.retryAt.getTime() <= this.#parts.clock.now() && held && !this.#stopping) {
        job = await this.#advance(job);
      }
    } catch (error) {
      log.warn({ job: id, err: error }, 'bulk job waits');
    } finally {
      await renewal.stop();
      await lease.release().catch((error: unknown) => log.warn({ job: id, err: error }, 'lease not released'));
    }
  }

  async #advance(job: Job): Promise<Job> {
    return this.#say(job.id, await this.#attempt(job));
  }

  async #attempt(job: Job): Promise<JobAction> {
    const { log, process } = this.#parts;
    try {
      return { type: 'pieceProcessed', processed: await passing(() => process(job)) };
    } catch (thrown) {
      const fault = Fault.from(thrown);
      switch (fault.kind) {
        case 'unavailable':
          throw fault;
        case 'argument':
          // The registry refuses entries one by one, and a job as a whole only for its application (R-S3).
          return { type: 'applicationGone' };
        default:
          log.error({ job: job.id, piece: job.pieces, err: fault }, 'attempt at a bulk job failed');
          return { type: 'attemptFailed', piece: job.pieces };
      }
    }
  }

  #say(id: string, action: JobAction): Promise<Job> {
    const { writer, clock } = this.#parts;
    return writer.submit(logOfJob(id), { id, action, at: new Date(clock.now()) });
  }
}
