import { describe } from '@jest/globals';
import { awayFeatures } from './processes/away.features.ts';
import { masterKeyFeatures } from './processes/master-key.features.ts';
import { ProcessesUnderTest } from './processes/testing/processes.ts';

describe('a system whose processes are frozen and restarted', () => {
  const test = new ProcessesUnderTest();
  awayFeatures(test);
  // Last, since it leaves one process stopped.
  masterKeyFeatures(test);
});
