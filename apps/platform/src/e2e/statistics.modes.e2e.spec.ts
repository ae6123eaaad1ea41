import { explainFeatures } from './statistics/explain.features.ts';
import { totalFeatures } from './statistics/totals.features.ts';
import { MessagesUnderTest } from './messages/testing/messages.ts';

const test = new MessagesUnderTest();

totalFeatures(test);
// The last suite advances the clock by a month.
explainFeatures(test);
