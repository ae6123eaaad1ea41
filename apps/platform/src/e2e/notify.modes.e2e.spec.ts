import { notifyFeatures } from './messages/notify.features.ts';
import { targetedFeatures } from './messages/targeted.features.ts';
import { MessagesUnderTest } from './messages/testing/messages.ts';

const test = new MessagesUnderTest();

targetedFeatures(test);
notifyFeatures(test);
