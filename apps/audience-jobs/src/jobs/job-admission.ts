import { MAX_OPEN_JOBS, MAX_OPEN_MEBIBYTES } from '@tidings/contract';
import type { Queue } from '@tidings/jobs';
import { Fault } from '@tidings/kernel';
import { queueKey } from './job-log.ts';
import type { JobStore } from './job-store.ts';

const MEBIBYTE = 1024 * 1024;
const RETRY_AFTER_S = 5;

export interface Opening {
  readonly job: string;
  readonly bytes: number;
}

export interface Admission {
  check(queue: Queue, job: string): Promise<void>;
  /** Concurrent processes can together exceed a limit. */
  admit(queue: Queue, opening: Opening, open: () => Promise<void>): Promise<void>;
}

/** The last job may exceed the limit of bytes. */
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
  const check = async (queue: Queue, job: string): Promise<void> => {
    // Copied before the query, which may miss a job opened meanwhile.
    const before = [...(opening.get(queueKey(queue)) ?? [])];
    const jobs = new Map([...before, ...(await store.open(queue))]);
    jobs.delete(job);
    const refusal = refusalOf(queue, [...jobs.values()]);
    // A call whose answer was lost is repeated.
    const isThere = refusal !== undefined && (await store.find(job)) !== undefined;
    if (refusal !== undefined && !isThere) throw Fault.throttled(refusal, RETRY_AFTER_S);
  };
  return {
    check,
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
