import { totalFeatures } from './statistics/totals.features.ts';
import { MessagesUnderTest } from './messages/testing/messages.ts';

const test = new MessagesUnderTest();

totalFeatures(test);
