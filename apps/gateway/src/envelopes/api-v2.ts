import type { Fault } from '@tidings/kernel';
import { type Envelope, json, METHOD_NOT_ALLOWED, type Reply } from './reply.ts';

const gatewayError = (status: number, code: number, message: string): Reply =>
  json(status, { code, message, details: [] });

function faultReply(fault: Fault): Reply {
  switch (fault.kind) {
    case 'malformed':
    case 'argument':
    case 'conflict':
      return gatewayError(400, 3, fault.message);
    case 'notFound':
      return gatewayError(404, 5, fault.message);
    case 'forbidden':
      return gatewayError(403, 7, fault.message);
    case 'throttled':
      return gatewayError(429, 8, fault.message);
    case 'unauthorized':
      return gatewayError(401, 16, fault.message);
    case 'tooLarge':
      return gatewayError(413, 3, fault.message);
    case 'unavailable':
      return gatewayError(503, 14, 'Service unavailable');
    case 'bug':
      return gatewayError(500, 13, 'Internal error');
  }
}

export const apiV2Envelope: Envelope = {
  success: (_method, output) => json(200, output),
  fault: faultReply,
  wrongVerb: () => gatewayError(405, 12, METHOD_NOT_ALLOWED),
};
