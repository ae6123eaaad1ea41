import type { IncomingHttpHeaders } from 'node:http';
import { decrypt } from 'http_ece';
import { objectIn, textOf } from '../fields.ts';
import type { ProviderRequest } from '../provider.ts';
import { jsonOf, pushSimulator } from '../push-simulator.ts';
import { ReceivedVapid } from './received-vapid.ts';
import { WEB_PUSH_REASONS, type WebPushReason } from './webpush-reasons.ts';
import { keysOf, parseWebPushPath } from './webpush-subscriptions.ts';

const BODY_MAX = 4096;
const URGENCIES: ReadonlySet<string> = new Set(['very-low', 'low', 'normal', 'high']);
const EMPTY = Buffer.alloc(0);
const json = jsonOf('application/json');

/** Required or restricted by RFC 8030. */
function headerFlaw(headers: IncomingHttpHeaders): WebPushReason | undefined {
  const { topic, urgency } = headers;
  const fits =
    /^\d+$/.test(textOf(headers['ttl'])) &&
    headers['content-encoding'] === 'aes128gcm' &&
    (urgency === undefined || (typeof urgency === 'string' && URGENCIES.has(urgency))) &&
    (topic === undefined || (typeof topic === 'string' && /^[\w-]{1,32}$/.test(topic)));
  return fits ? undefined : 'BadRequest';
}

/** Undefined if the browser could not read the body. */
function plaintextFor(id: string, body: Buffer): Buffer | undefined {
  const { ecdh, authSecret } = keysOf(id);
  try {
    return decrypt(body, { version: 'aes128gcm', privateKey: ecdh, authSecret });
  } catch {
    return undefined;
  }
}

/** RFC 8030, with the browsers behind it: reads what only they could. */
export const webPush = pushSimulator<WebPushReason>({
  name: 'webpush',
  http1: false,
  idOf: (row) => `m-${row}`,
  reasons: WEB_PUSH_REASONS,
  refusals: {
    dead: 'Gone',
    badToken: 'NotFound',
    throttled: 'TooManyRequests',
    unavailable: 'ServiceUnavailable',
    serverError: 'InternalServerError',
    payloadRefused: 'PayloadTooLarge',
    wrongTopic: 'Forbidden',
    expiredAuth: 'Unauthorized',
  },
  retryAfter: [429, 503],
  malformed: '{"mess',
  open({ keys, now }) {
    const vapid = new ReceivedVapid(keys, now);
    const flawOf = ({ method, headers, body }: ProviderRequest): WebPushReason | undefined => {
      if (method !== 'POST') return 'NotFound';
      if (body.length > BODY_MAX) return 'PayloadTooLarge';
      return vapid.refusal(headers) ?? headerFlaw(headers);
    };
    return {
      receive(request) {
        const { path, headers, body } = request;
        const special = parseWebPushPath(path);
        const plaintext = special && plaintextFor(special.id, body);
        // A push service could not know that a body is unreadable, but a test must.
        const unreadable = special === undefined ? 'NotFound' : 'BadRequest';
        return {
          push: {
            token: path,
            hash: textOf(objectIn(plaintext?.toString('utf8') ?? '')?.['p']),
            collapseId: textOf(headers['topic']),
            id: '',
            payload: plaintext ?? EMPTY,
          },
          credential: headers.authorization ?? '',
          flaw: flawOf(request) ?? (plaintext ? undefined : unreadable),
          special,
        };
      },
      accepted: (_push, id) => ({ status: 201, headers: ['location', `/message/${id}`], body: '' }),
      refused: (reason) => json(WEB_PUSH_REASONS[reason], { reason }),
    };
  },
});
