import { Fault } from '@tidings/kernel';
import { apiV2Envelope } from './api-v2.ts';
import type { Envelope } from './reply.ts';

export const notifyEnvelope: Envelope = {
  ...apiV2Envelope,
  fault: (fault, method) =>
    apiV2Envelope.fault(fault.kind === 'malformed' ? Fault.malformed('malformed request') : fault, method),
};
