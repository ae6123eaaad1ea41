import { cappingFeatures } from './messages/capping.features.ts';
import { MessagesUnderTest } from './messages/testing/messages.ts';

cappingFeatures(new MessagesUnderTest());
