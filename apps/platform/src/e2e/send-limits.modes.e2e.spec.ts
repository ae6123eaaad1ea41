import { cappingFeatures } from './messages/capping.features.ts';
import { sendRateFeatures } from './messages/send-rate.features.ts';
import { stopFeatures } from './messages/stop.features.ts';
import { MessagesUnderTest } from './messages/testing/messages.ts';

const test = new MessagesUnderTest();

sendRateFeatures(test);
cappingFeatures(test);
stopFeatures(test);
