import { textOf } from '../fields.ts';
import type { Push } from '../ledger/entries.ts';
import type { ProviderRequest } from '../provider.ts';
import { jsonOf, pushSimulator } from '../push-simulator.ts';
import { LINE_REASONS, lineBodyOf, type LineReason } from './line-reasons.ts';
import { lineRequestIn } from './line-request.ts';
import { parseLineUser } from './line-users.ts';

const PATH = '/v2/bot/message/push';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const json = jsonOf('application/json');
/** LINE forgets them after a day. */
const KEYS_MAX = 1_000_000;

/** Known by retry keys: requests carry no statistics hash. */
export const line = pushSimulator<LineReason>({
  name: 'line',
  http1: true,
  idOf: (row) => `00000000-0000-4000-8000-${String(row).padStart(12, '0')}`,
  reasons: LINE_REASONS,
  refusals: {
    dead: 'InvalidRecipient',
    badToken: 'InvalidRecipient',
    throttled: 'RateLimit',
    unavailable: 'ServiceUnavailable',
    serverError: 'InternalServerError',
    payloadRefused: 'InvalidMessage',
    wrongTopic: 'Forbidden',
    expiredAuth: 'Unauthorized',
  },
  retryAfter: [503],
  malformed: '{"sentMess',
  open({ keys }) {
    /** Ids of requests, by retry key: a repeat of an accepted request reaches nobody. */
    const accepted = new Map<string, string>();

    const isAuthorized = (authorization: string): boolean =>
      authorization.startsWith('Bearer ') && keys.isClient('line', authorization.slice(7));

    const flawOf = (
      { method, path, headers }: ProviderRequest,
      { token, collapseId: key }: Push,
      isValid: boolean,
    ): LineReason | undefined => {
      if (method !== 'POST' || path !== PATH) return 'NotFound';
      if (!isAuthorized(headers.authorization ?? '')) return 'Unauthorized';
      if (key !== '' && !UUID.test(key)) return 'InvalidMessage';
      if (parseLineUser(token) === undefined) return 'InvalidRecipient';
      if (!isValid) return 'InvalidMessage';
      return accepted.has(key) ? 'Conflict' : undefined;
    };

    return {
      receive(request) {
        const { headers, body } = request;
        const { to, isValid } = lineRequestIn(body);
        const key = textOf(headers['x-line-retry-key']);
        const push = { token: to, hash: key, collapseId: key, id: '', payload: body };
        return {
          push,
          credential: headers.authorization ?? '',
          flaw: flawOf(request, push, isValid),
          special: parseLineUser(to),
        };
      },
      accepted({ collapseId: key }, id) {
        if (accepted.size >= KEYS_MAX) accepted.clear();
        if (key !== '') accepted.set(key, id);
        return json(200, { sentMessages: [{ id: id.slice(-12) }] }, ['x-line-request-id', id]);
      },
      refused(reason, { collapseId: key }) {
        const first = reason === 'Conflict' ? accepted.get(key) : undefined;
        const headers = first === undefined ? [] : ['x-line-accepted-request-id', first];
        return json(LINE_REASONS[reason].status, lineBodyOf(reason), headers);
      },
      reset: () => accepted.clear(),
    };
  },
});
