import { afterAll, beforeAll } from '@jest/globals';
import { type ClusterWorld, populatedCluster, type Population } from '@tidings/testing';

const START_TIMEOUT_MS = 600_000;

export class ClusterUnderTest {
  world!: ClusterWorld;
  population!: Population;

  constructor() {
    beforeAll(async () => {
      ({ world: this.world, population: this.population } = await populatedCluster({
        simulators: { keepPayloads: true },
      }));
    }, START_TIMEOUT_MS);
    afterAll(() => this.world?.stop());
  }
}
