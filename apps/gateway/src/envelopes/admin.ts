import type { Fault, FaultKind } from '@tidings/kernel';
import { type Envelope, json, METHOD_NOT_ALLOWED, type Reply } from './reply.ts';

const statuses: Readonly<Record<FaultKind, number>> = {
  malformed: 400,
  argument: 400,
  unauthorized: 401,
  forbidden: 403,
  notFound: 404,
  conflict: 409,
  tooLarge: 413,
  throttled: 429,
  bug: 500,
  unavailable: 503,
};

const error = (status: number, kind: string, message: string): Reply => json(status, { error: { kind, message } });

const publicText = (fault: Fault): string => {
  if (fault.kind === 'bug') return 'Internal error';
  return fault.kind === 'unavailable' ? 'Service unavailable' : fault.message;
};

export const adminEnvelope: Envelope = {
  success: (method, output) => (method.status === 204 ? { status: 204, body: '' } : json(method.status, output)),
  fault: (fault) => error(statuses[fault.kind], fault.kind, publicText(fault)),
  wrongVerb: () => error(405, 'argument', METHOD_NOT_ALLOWED),
};
