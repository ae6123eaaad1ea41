import type { Fault } from '@tidings/kernel';
import { sentencePage } from './page-reply.ts';
import { apiV2Envelope } from './api-v2.ts';
import type { Envelope, Reply } from './reply.ts';

const TITLES: Partial<Record<Fault['kind'], string>> = {
  forbidden: 'This link does not work',
  throttled: 'Too many requests',
  unavailable: 'Please try again later',
  tooLarge: 'The request is too large',
};

export const pagesEnvelope: Envelope = {
  success: (method, output) => apiV2Envelope.success(method, output),
  fault(fault): Reply {
    const { status } = apiV2Envelope.fault(fault);
    const title = TITLES[fault.kind] ?? 'Something went wrong';
    const sentence = fault.kind === 'forbidden' ? `${fault.message}. Nothing was changed.` : 'Nothing was changed.';
    return sentencePage(status, title, sentence);
  },
  wrongVerb: () => sentencePage(405, 'This link does not work', 'Nothing was changed.'),
};
