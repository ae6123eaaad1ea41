import { describe } from '@jest/globals';
import { BrokerUnderTest, type BrokerWorld } from './features/broker-under-test.ts';
import { consumeFeatures } from './features/consume.features.ts';
import { endingFeatures } from './features/ending.features.ts';
import { groupsFeatures } from './features/groups.features.ts';
import { handingOverFeatures } from './features/handing-over.features.ts';
import { keepingFeatures } from './features/keeping.features.ts';
import { publishingFeatures } from './features/publishing.features.ts';

export function brokerFeatures(
  name: string,
  makeWorld: () => Promise<BrokerWorld>,
  ...further: readonly ((test: BrokerUnderTest) => void)[]
): void {
  describe(name, () => {
    const test = new BrokerUnderTest(makeWorld);
    publishingFeatures(test);
    handingOverFeatures(test);
    groupsFeatures(test);
    endingFeatures(test);
    keepingFeatures(test);
    consumeFeatures(test);
    for (const features of further) features(test);
  });
}
