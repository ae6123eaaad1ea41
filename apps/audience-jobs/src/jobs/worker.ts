import { every, type Periodic } from '@tidings/coordination';
import type { LogWriter } from '@tidings/event-store';
import { JobFailure, type JobPieceProcessed } from '@tidings/events';
import { isSuspect, type Job, type JobAction, type Queue, roundRobin } from '@tidings/jobs';
import { type Clock, Fault, randomBase62 } from '@tidings/kernel';
import { Lease, transientAsFault } from '@tidings/mongo';
import type { Logger } from '@tidings/runtime';
import type { Db } from 'mongodb';
import { type JobCommand, logOfJob } from './job-log.ts';
import type { JobStore } from './job-store.ts';

/** Jobs that a process works on side by side; the others wait their turn. */
const JOBS_AT_ONCE = 2;
/** Pieces that a job is worked on for before others have their turn. */
const TURN_PIECES = 4;
const LOOK_EVERY_MS = 1_000;
const LEASE_MS = 10_000;
const RENEW_EVERY_MS = 3_000;
const OWNER_LENGTH = 16;
/** Prefix of the names of job leases. */
export const JOB_LEASES = 'jobs/';
/** Retention of the leases of dead jobs; a lease lasts for seconds. */
export const LEASES_KEPT_MS = 3_600_000;

export interface WorkerDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly store: JobStore;
  readonly writer: LogWriter<JobCommand, Job>;
  /** Gives the entries of a job's next piece their results. */
  readonly process: (job: Job) => Promise<JobPieceProcessed>;
}

/** A job to work on, and the lease that nobody else works on it by. */
interface Taken {
  readonly job: Job;
  readonly lease: Lease;
}

/**
 * Works pending jobs through, piece by piece, two at a time. Applications take turns of four pieces, whatever each has queued; within an application
 * the oldest job goes first, and its bulk jobs one after the other. Of several processes one has a job, by a lease; after a crash another one, or the
 * next start, goes on with the piece at hand when the lease has run out. A job that a process may have died of runs alone until it has
 * progressed, so that no other one is blamed for it.
 */
export class Worker {
  readonly #deps: WorkerDeps;
  readonly #owner = randomBase62(OWNER_LENGTH);
  readonly #turns = roundRobin();
  readonly #running = new Map<string, Promise<void>>();
  /** Pieces of jobs that this process has begun an attempt at whose end is not durable yet. */
  readonly #begun = new Map<string, number>();
  readonly #looking: Periodic;
  #isAlone = false;
  #stopping = false;

  constructor(deps: WorkerDeps) {
    this.#deps = deps;
    const options = { name: 'bulk jobs', log: deps.log, immediately: true };
    this.#looking = every(LOOK_EVERY_MS, () => this.#look(), options);
  }

  /** Hears that there may be something to do. */
  wake(): void {
    void this.#looking.now();
  }

  /** Ends with the pieces under way, none of which counts as an attempt any more, even if the process is ended before they are. */
  async stop(): Promise<void> {
    this.#stopping = true;
    await this.#looking.stop();
    await Promise.all([...this.#begun.keys()].map((id) => this.#withdraw(id)));
    await Promise.all(this.#running.values());
  }

  async #look(): Promise<void> {
    for (const id of this.#begun.keys()) if (!this.#running.has(id)) await this.#withdraw(id);
    while (!this.#stopping && !this.#isAlone && this.#running.size < JOBS_AT_ONCE) {
      if (!(await this.#startNext())) return;
    }
  }

  /** False where nothing can be started now. */
  async #startNext(): Promise<boolean> {
    for (const queue of this.#turns.order(await this.#deps.store.queues())) {
      for await (const { id } of this.#deps.store.startable(queue)) {
        if (this.#stopping) return false;
        const taken = this.#running.has(id) ? undefined : await this.#take(id);
        if (!taken) continue;
        const isAlone = isSuspect(taken.job, this.#owner);
        if (isAlone && this.#running.size > 0) {
          // Nothing else is started either, or its turn would never come.
          await this.#release(taken);
          return false;
        }
        this.#start(queue, taken, isAlone);
        return true;
      }
    }
    return false;
  }

  /** Undefined for a job that another process has, or has just ended. */
  async #take(id: string): Promise<Taken | undefined> {
    const { db, clock, store } = this.#deps;
    const lease = new Lease(db, `${JOB_LEASES}${id}`, { clock, lengthMs: LEASE_MS });
    if (!(await lease.take())) return undefined;
    const job = await store.find(id);
    if (job?.status === 'Pending') return { job, lease };
    await lease.release();
    return undefined;
  }

  async #release({ job: { id }, lease }: Taken): Promise<void> {
    await lease.release().catch((error: unknown) => this.#deps.log.warn({ job: id, err: error }, 'lease not released'));
  }

  #start(queue: Queue, taken: Taken, isAlone: boolean): void {
    const { id } = taken.job;
    const end = this.#turns.begin(queue);
    this.#isAlone = isAlone;
    const run = this.#run(taken, isAlone ? 1 : TURN_PIECES).then((isWell) => {
      this.#running.delete(id);
      if (isAlone) this.#isAlone = false;
      end();
      // A service that does not answer will not be back at once.
      if (isWell) this.wake();
    });
    this.#running.set(id, run);
  }

  /** Never rejects: false where something is away, which a later look meets again. */
  async #run(taken: Taken, turn: number): Promise<boolean> {
    const { log, clock } = this.#deps;
    const { id } = taken.job;
    const { lease } = taken;
    const renewal = every(RENEW_EVERY_MS, async () => void (await lease.take()), { name: 'lease of a bulk job', log });
    const isOpen = (job: Job): boolean => job.status === 'Pending' && job.retryAt.getTime() <= clock.now();
    try {
      let { job } = taken;
      for (let pieces = 0; pieces < turn && isOpen(job) && lease.held && !this.#stopping; pieces++) {
        job = await this.#advance(job);
      }
      return true;
    } catch (error) {
      log.warn({ job: id, err: error }, 'bulk job deferred');
      return false;
    } finally {
      await this.#withdraw(id);
      await renewal.stop();
      await this.#release(taken);
    }
  }

  /** An attempt at the next piece, which is known to have begun before it does (R-S3). */
  async #advance({ id, pieces: piece }: Job): Promise<Job> {
    const worker = this.#owner;
    this.#begun.set(id, piece);
    const begun = await this.#say(id, { type: 'beginAttempt', piece, worker });
    if (this.#stopping) return begun;
    const isNext = begun.status === 'Pending' && begun.pieces === piece;
    const after = isNext ? await this.#say(id, await this.#attempt(begun)) : begun;
    this.#begun.delete(id);
    return after;
  }

  async #attempt(job: Job): Promise<JobAction> {
    const { log, process } = this.#deps;
    try {
      return { type: 'pieceProcessed', processed: await transientAsFault(() => process(job)) };
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
          return { type: 'attemptFailed', piece: job.pieces, worker: this.#owner };
      }
    }
  }

  /** Takes back that an attempt was begun. Where the store is away, a later look does. */
  async #withdraw(id: string): Promise<void> {
    const piece = this.#begun.get(id);
    if (piece === undefined) return;
    try {
      await this.#say(id, { type: 'withdrawAttempt', piece, worker: this.#owner });
      this.#begun.delete(id);
    } catch (error) {
      this.#deps.log.warn({ job: id, piece, err: error }, 'attempt at a bulk job not withdrawn');
    }
  }

  async #say(id: string, action: JobAction): Promise<Job> {
    const { writer, clock, log } = this.#deps;
    const job = await writer.submit(logOfJob(id), { id, action, at: new Date(clock.now()) });
    if (job.status === 'Failed' && action.type !== 'withdrawAttempt') {
      const { account, pieces: piece, accepted, reason } = job;
      const isOurs = reason !== JobFailure.JOB_FAILURE_APPLICATION_GONE;
      const facts = { job: id, account, application: accepted.application, piece, reason: JobFailure[reason] };
      log[isOurs ? 'error' : 'warn'](facts, 'bulk job failed');
    }
    return job;
  }
}
