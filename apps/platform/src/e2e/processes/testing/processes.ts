import { afterAll, beforeAll } from '@jest/globals';
import { type ClusterWorld, type LoggingWorld, platformInProcesses, type ProcessWorld } from '@tidings/testing';

const START_TIMEOUT_MS = 300_000;

export const isCluster = (world: LoggingWorld): world is ClusterWorld => 'cluster' in world;

export class ProcessesUnderTest {
  world!: LoggingWorld;

  constructor() {
    beforeAll(async () => {
      const env = { LOG_LEVEL: 'info' };
      // A rolling restart leaves one process of a kind running.
      this.world = await platformInProcesses({ env, processes: { replicas: 2 } });
    }, START_TIMEOUT_MS);
    afterAll(() => this.world?.stop());
  }

  async signalRegistry(name: 'SIGSTOP' | 'SIGCONT'): Promise<void> {
    const { world } = this;
    const pids = isCluster(world)
      ? world.cluster.of('registry').map(({ pid }) => pid)
      : [(await (world as ProcessWorld).pids()).mongod!];
    for (const pid of pids) process.kill(pid, name);
  }
}
