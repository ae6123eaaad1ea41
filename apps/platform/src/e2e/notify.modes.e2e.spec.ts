import { targetedFeatures } from './messages/targeted.features.ts';
import { MessagesUnderTest } from './messages/testing/messages.ts';

const test = new MessagesUnderTest();

targetedFeatures(test);
