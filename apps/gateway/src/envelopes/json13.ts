import type { Method } from '@tidings/contract';
import type { Fault } from '@tidings/kernel';
import { type Envelope, json, METHOD_NOT_ALLOWED, type Reply } from './reply.ts';

const OK = '"status_code":200,"status_message":"OK"';
const withoutResponse: Reply = { status: 200, body: `{${OK}}` };
const withNull: Reply = { status: 200, body: `{${OK},"response":null}` };

const bare = (status: number, text: string): Reply => json(status, { status_message: text, response: null });

const full = (status: number, text: string): Reply =>
  json(status, { status_code: status, status_message: text, response: null });

/** The create methods answer an empty list in place of null (R-ER8). */
const argument = (text: string, method: Method | undefined): Reply =>
  json(200, {
    status_code: 210,
    status_message: text,
    response: method?.messagesOn210 === true ? { Messages: [] } : null,
  });

function faultReply(fault: Fault, method: Method | undefined): Reply {
  switch (fault.kind) {
    case 'malformed':
      return bare(400, fault.message);
    case 'unauthorized':
      return bare(401, fault.message);
    case 'argument':
    case 'notFound':
    case 'conflict':
      return argument(fault.message, method);
    case 'forbidden':
      return full(403, fault.message);
    case 'tooLarge':
      return full(413, fault.message);
    case 'throttled':
      return full(429, fault.message);
    case 'unavailable':
      if (fault.retryAfterSeconds !== undefined) return full(503, 'Service unavailable');
      return full(500, fault.effect === 'possible' ? `Internal error: ${fault.message}` : 'Internal error');
    case 'bug':
      return full(500, 'Internal error');
  }
}

export const json13Envelope: Envelope & { unknownMethod(): Reply } = {
  success(method, output) {
    if (method.omitResponse) return withoutResponse;
    if (method.textReply)
      return { status: 200, body: '', file: { type: 'text/plain', bytes: Buffer.from(String(output)) } };
    return output === undefined ? withNull : { status: 200, body: `{${OK},"response":${JSON.stringify(output)}}` };
  },
  fault: faultReply,
  wrongVerb: () => full(405, METHOD_NOT_ALLOWED),
  unknownMethod: () => full(404, 'Method not found'),
};
