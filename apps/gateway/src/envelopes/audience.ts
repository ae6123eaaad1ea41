import type { Fault, FaultKind } from '@tidings/kernel';
import { type Envelope, json, METHOD_NOT_ALLOWED, type Reply } from './reply.ts';

const statuses: Readonly<Record<FaultKind, number>> = {
  malformed: 400,
  argument: 400,
  conflict: 400,
  unauthorized: 403,
  forbidden: 403,
  notFound: 404,
  tooLarge: 413,
  throttled: 429,
  unavailable: 500,
  bug: 500,
};

const message = (status: number, text: string): Reply => json(status, { message: text });

export const audienceEnvelope: Envelope = {
  success: (_method, output) => json(200, output),
  fault(fault: Fault) {
    if (fault.kind === 'unavailable' && fault.retryAfterSeconds !== undefined)
      return message(503, 'Service unavailable');
    const status = statuses[fault.kind];
    return message(status, status === 500 ? 'Internal error' : fault.message);
  },
  wrongVerb: () => message(405, METHOD_NOT_ALLOWED),
};
