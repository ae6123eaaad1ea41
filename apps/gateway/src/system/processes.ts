import { Fault } from '@tidings/kernel';
import { type Operations, OperationsDefinition } from '@tidings/rpc';
import { everyReplica, type Replicas } from '@tidings/rpc/grpc';
import type { Processes, SystemOperations } from './system.ts';

const DEADLINE_MS = 5_000;

const isUnavailable = (thrown: unknown): boolean => thrown instanceof Fault && thrown.kind === 'unavailable';

/** Unknown pending work counts as open. */
const orOpen = (service: string, who: string, operations: SystemOperations): SystemOperations => ({
  advanceClock: (request) => operations.advanceClock(request),
  async settled(request) {
    try {
      return await operations.settled({ ...request, service });
    } catch (error) {
      if (!isUnavailable(error)) throw error;
      return { open: [`${who} does not answer`], deletions: [] };
    }
  },
});

const unreachable = (name: string): SystemOperations => {
  const absent = async (): Promise<never> => {
    throw Fault.unavailable(`no process of ${name} found`);
  };
  return orOpen(name, name, { settled: absent, advanceClock: absent });
};

export const processesOf =
  (name: string, replicas: Replicas): Processes =>
  async () => {
    const options = { deadlineMs: DEADLINE_MS };
    const every = await everyReplica<Operations>(OperationsDefinition, replicas, options);
    return every.length === 0
      ? [unreachable(name)]
      : every.map(({ replica, service }) => orOpen(name, `${name} at ${replica}`, service));
  };
