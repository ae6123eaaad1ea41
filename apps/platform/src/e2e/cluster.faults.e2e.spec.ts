import { describe, jest } from '@jest/globals';
import { POPULATION_TIMEOUT_MS } from '@tidings/testing';
import { chaosFeatures } from './cluster/chaos.features.ts';
import { killFeatures } from './cluster/kills.features.ts';
import { relayFeatures } from './cluster/relays.features.ts';
import { restartFeatures } from './cluster/restart.features.ts';
import { soakFeatures } from './cluster/soak.features.ts';
import { storeFeatures } from './cluster/stores.features.ts';
import { takeoverFeatures } from './cluster/takeovers.features.ts';
import { ClusterUnderTest } from './cluster/testing/populated.ts';
import { visitFeatures } from './cluster/visits.features.ts';

jest.setTimeout(POPULATION_TIMEOUT_MS);

describe('the distributed system under faults', () => {
  const test = new ClusterUnderTest();
  relayFeatures(test);
  chaosFeatures(test);
  soakFeatures(test);
  killFeatures(test);
  visitFeatures(test);
  storeFeatures(test);
  restartFeatures(test);
  takeoverFeatures(test);
});
