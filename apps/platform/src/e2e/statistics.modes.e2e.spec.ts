import { explainFeatures } from './statistics/explain.features.ts';
import { replayFeatures } from './statistics/replay.features.ts';
import { totalFeatures } from './statistics/totals.features.ts';
import { MessagesUnderTest } from './messages/testing/messages.ts';

const test = new MessagesUnderTest();

totalFeatures(test);
// The last suites advance the clock by months.
explainFeatures(test);
replayFeatures(test);
