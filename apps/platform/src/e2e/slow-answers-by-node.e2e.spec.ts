import { slowAnswerFeatures } from './providers/slow-answers.features.ts';
import { ProvidersUnderTest } from './providers/testing/providers.ts';

// As for the default link, by Node's HTTP/2, within one process.
slowAnswerFeatures(new ProvidersUnderTest({ TIDINGS_HTTP2: 'node' }));
