import { MAX_OPEN_JOBS, MAX_OPEN_MEBIBYTES } from '@tidings/contract';
import type { Queue } from '@tidings/jobs';
import { Fault } from '@tidings/kernel';
import { queueKey } from './job-log.ts';
import type { JobStore } from './job-store.ts';

const MEBIBYTE = 1024 * 1024;
/** Room comes with the end of a job: no time can be told, and this is about what a middling one takes. */
const RETRY_AFTER_S = 5;

/** A job by its id, and what its entries come to. */
export interface Opening {
  readonly job: string;
  readonly bytes: number;
}

/** Bounds what an application can queue. */
export interface Admission {
  /** @throws Fault `throttled` where no further job may be opened now. */
  check(queue: Queue): Promise<void>;
  /**
   * Opens a job where there is room, unless it is there already. Only processes that admit at the same moment can go beyond a limit together, each
   * by what it admits in that moment.
   * @throws Fault `throttled` where there is no room
   */
  admit(queue: Queue, opening: Opening, open: () => Promise<void>): Promise<void>;
}

/** Why a queue takes no further job beside these, by their sizes; undefined where it does. An application's last job may go beyond the limit of bytes. */
export function refusalOf({ application }: Queue, sizes: readonly number[]): string | undefined {
  if (sizes.length >= MAX_OPEN_JOBS) {
    return application === ''
      ? `account: at most ${MAX_OPEN_JOBS} exports of several applications may be open`
      : `application: at most ${MAX_OPEN_JOBS} jobs may be open`;
  }
  return sizes.reduce((sum, bytes) => sum + bytes, 0) >= MAX_OPEN_MEBIBYTES * MEBIBYTE
    ? `application: the devices of open jobs may take at most ${MAX_OPEN_MEBIBYTES} MiB`
    : undefined;
}

export function openAdmission(store: Pick<JobStore, 'find' | 'open'>): Admission {
  /** Jobs that this process is opening, by queue, in their order. */
  const opening = new Map<string, Map<string, number>>();

  const begin = (key: string, { job, bytes }: Opening): void => {
    const jobs = opening.get(key);
    if (jobs) jobs.set(job, bytes);
    else opening.set(key, new Map([[job, bytes]]));
  };
  const end = (key: string, { job }: Opening): void => {
    const jobs = opening.get(key);
    jobs?.delete(job);
    if (jobs?.size === 0) opening.delete(key);
  };
  const check = async (queue: Queue, job?: string): Promise<void> => {
    // Those before this one. Taken first: one that is opened meanwhile may be neither here nor there afterwards.
    const before = [...(opening.get(queueKey(queue)) ?? [])];
    const jobs = new Map([...before, ...(await store.open(queue))]);
    if (job !== undefined) jobs.delete(job);
    const refusal = refusalOf(queue, [...jobs.values()]);
    // A call is repeated where its answer was lost: what it has opened stays so.
    const isThere = refusal !== undefined && job !== undefined && (await store.find(job)) !== undefined;
    if (refusal !== undefined && !isThere) throw Fault.throttled(refusal, RETRY_AFTER_S);
  };
  return {
    check: (queue) => check(queue),
    async admit(queue, one, open) {
      const key = queueKey(queue);
      const checked = check(queue, one.job);
      begin(key, one);
      try {
        await checked;
        await open();
      } finally {
        end(key, one);
      }
    },
  };
}
