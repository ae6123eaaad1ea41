import { every, type ExclusiveData, look, type Periodic } from '@tidings/coordination';
import type { LogWriter } from '@tidings/event-store';
import { JobFailure, type JobPartProcessed } from '@tidings/events';
import { isSuspect, type Job, type JobAction, type Queue, roundRobin, LONGEST_RETRY_MS } from '@tidings/jobs';
import { type Clock, Fault, randomBase62, isDue } from '@tidings/kernel';
import { Lease, transientAsFault } from '@tidings/mongo';
import type { Logger } from '@tidings/runtime';
import type { Db } from 'mongodb';
import { type JobCommand, logOfJob } from './job-log.ts';
import type { CountFailure } from './job-metrics.ts';
import type { JobStore } from './job-store.ts';

const JOBS_AT_ONCE = 2;
const TURN_PARTS = 4;
/** A deferred job, or one of a process that died, waits. */
const PENDING_INTERVAL_MS = 1_000;
const LEASE_MS = 10_000;
const RENEW_EVERY_MS = 3_000;
const OWNER_LENGTH = 16;
const MOST_OTHERS = 1_000;
export const JOB_LEASES = 'jobs/';
export const LEASES_KEPT_MS = 3_600_000;

export interface WorkerDeps {
  readonly db: Db;
  readonly clock: Clock;
  readonly log: Logger;
  readonly store: JobStore;
  readonly writer: LogWriter<JobCommand, Job>;
  readonly process: (job: Job, mayGoOn: () => boolean) => Promise<JobPartProcessed>;
  readonly countFailure: CountFailure;
  readonly exclusive?: ExclusiveData | undefined;
}

interface Taken {
  readonly job: Job;
  readonly lease: Lease;
}

/**
 * Applications take turns. After a crash another process resumes when the lease expires. A job that may have killed its process runs alone until it
 * progresses, so that no other is blamed.
 */
export class Worker {
  readonly #deps: WorkerDeps;
  readonly #owner = randomBase62(OWNER_LENGTH);
  readonly #queues = roundRobin();
  readonly #running = new Map<string, Promise<void>>();
  readonly #others = new Map<string, Lease>();
  readonly #begun = new Map<string, number>();
  readonly #looking: Periodic;
  #isAlone = false;
  #stopping = false;

  constructor(deps: WorkerDeps) {
    this.#deps = deps;
    const options = { name: 'bulk jobs', log: deps.log, immediately: true, exclusive: deps.exclusive };
    this.#looking = look(() => this.#look(), options);
  }

  wake(): void {
    void this.#looking.now();
  }

  /** Withdraws attempts first: a kill must not count against their jobs. */
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

  async #startNext(): Promise<boolean> {
    const queues = await this.#deps.store.queues();
    if (queues.length > 0) this.#looking.within(PENDING_INTERVAL_MS);
    for (const queue of this.#queues.order(queues)) {
      for await (const { id } of this.#deps.store.startable(queue)) {
        if (this.#stopping) return false;
        const taken = this.#running.has(id) ? undefined : await this.#take(id);
        if (!taken) continue;
        const isAlone = isSuspect(taken.job, this.#owner);
        if (isAlone && this.#running.size > 0) {
          // Otherwise this job would never run alone.
          await this.#release(taken);
          return false;
        }
        this.#start(queue, taken, isAlone);
        return true;
      }
    }
    return false;
  }

  async #take(id: string): Promise<Taken | undefined> {
    const { db, clock, store } = this.#deps;
    const lease = this.#others.get(id) ?? new Lease(db, `${JOB_LEASES}${id}`, { clock, lengthMs: LEASE_MS });
    if (!(await lease.take())) {
      if (this.#others.size >= MOST_OTHERS) this.#others.clear();
      this.#others.set(id, lease);
      return undefined;
    }
    this.#others.delete(id);
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
    const end = this.#queues.begin(queue);
    this.#isAlone = isAlone;
    const run = this.#run(taken, isAlone ? 1 : TURN_PARTS).then((isWell) => {
      this.#running.delete(id);
      if (isAlone) this.#isAlone = false;
      end();
      // An unavailable service does not recover at once.
      if (isWell) this.wake();
    });
    this.#running.set(id, run);
  }

  /** Never rejects; a later cycle retries. */
  async #run(taken: Taken, turn: number): Promise<boolean> {
    const { log, clock } = this.#deps;
    const { id } = taken.job;
    const { lease } = taken;
    const renewal = every(RENEW_EVERY_MS, async () => void (await lease.take()), { name: 'lease of a bulk job', log });
    const isOpen = (job: Job): boolean =>
      job.status === 'Pending' && isDue(job.retryAt.getTime(), clock.now(), LONGEST_RETRY_MS);
    try {
      let { job } = taken;
      for (let parts = 0; parts < turn && isOpen(job) && lease.isHeld && !this.#stopping; parts++) {
        job = await this.#advance({ job, lease }, parts + 1 < turn);
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

  /** Records the attempt before it begins (R-S3). @param continues the commit of this part begins the next one */
  async #advance({ job, lease }: Taken, continues: boolean): Promise<Job> {
    const { id, parts: part } = job;
    const begun = this.#isBegun(job) ? job : await this.#begin(id, part);
    if (this.#stopping) return begun;
    const isNext = begun.status === 'Pending' && begun.parts === part;
    const after = isNext ? await this.#end(begun, await this.#attempt({ job: begun, lease }), continues) : begun;
    if (!this.#isBegun(after)) this.#begun.delete(id);
    return after;
  }

  #isBegun(job: Job): boolean {
    return job.status === 'Pending' && job.workers.includes(this.#owner);
  }

  #begin(id: string, part: number): Promise<Job> {
    this.#begun.set(id, part);
    return this.#submitAction(id, { type: 'beginAttempt', part, worker: this.#owner });
  }

  #end({ id, parts: part }: Job, action: JobAction, continues: boolean): Promise<Job> {
    if (action.type !== 'partProcessed' || !continues || this.#stopping) return this.#submitAction(id, action);
    this.#begun.set(id, part + 1);
    return this.#submitAction(id, { ...action, next: this.#owner });
  }

  async #attempt({ job, lease }: Taken): Promise<JobAction> {
    const { log, process } = this.#deps;
    const mayGoOn = (): boolean => lease.isHeld && !this.#stopping;
    try {
      return { type: 'partProcessed', processed: await transientAsFault(() => process(job, mayGoOn)) };
    } catch (thrown) {
      const fault = Fault.from(thrown);
      switch (fault.kind) {
        case 'unavailable':
          throw fault;
        case 'argument':
          // Only an unknown application refuses a whole job (R-S3).
          return { type: 'applicationGone' };
        default:
          log.error({ job: job.id, part: job.parts, err: fault }, 'attempt at a bulk job failed');
          return { type: 'attemptFailed', part: job.parts, worker: this.#owner };
      }
    }
  }

  async #withdraw(id: string): Promise<void> {
    const part = this.#begun.get(id);
    if (part === undefined) return;
    try {
      await this.#submitAction(id, { type: 'withdrawAttempt', part, worker: this.#owner });
      this.#begun.delete(id);
    } catch (error) {
      this.#deps.log.warn({ job: id, part, err: error }, 'attempt at a bulk job not withdrawn');
    }
  }

  async #submitAction(id: string, action: JobAction): Promise<Job> {
    const { writer, clock, log, countFailure } = this.#deps;
    const job = await writer.submit(logOfJob(id), { id, action, at: new Date(clock.now()) });
    if (job.status === 'Failed' && action.type !== 'withdrawAttempt') {
      const { account, parts: part, accepted, reason } = job;
      const isOurs = reason !== JobFailure.JOB_FAILURE_APPLICATION_GONE;
      const facts = { job: id, account, application: accepted.application, part, reason: JobFailure[reason] };
      countFailure(reason);
      log[isOurs ? 'error' : 'warn'](facts, 'bulk job failed');
    }
    return job;
  }
}
