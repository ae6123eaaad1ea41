import { textOf } from '../fields.ts';
import { clientGrants, type GrantError } from '../oauth/client-credentials.ts';
import type { ProviderRequest } from '../provider.ts';
import { jsonOf, pushSimulator, type Reply } from '../push-simulator.ts';
import { parseWnsPath } from './wns-channels.ts';
import { hashInNotification, notificationFlaw } from './wns-notification.ts';
import { WNS_REASONS, type WnsReason } from './wns-reasons.ts';

const SCOPE = 'notify.windows.com';
const json = jsonOf('application/json; charset=utf-8');

const tokenEndpoint = {
  path: '/accesstoken.srf',
  scope: SCOPE,
  clientPrefix: 'ms-app://',
  members: { token_type: 'bearer' },
  json,
  refused: (error: GrantError) => json(400, { error, error_description: 'The request is refused' }),
};

const replyWith = (status: number, headers: readonly string[]): Reply => ({
  status,
  headers: ['x-wns-debug-trace', 'SIM', 'x-wns-deviceconnectionstatus', 'connected', ...headers],
  body: '',
});

export const wns = pushSimulator<WnsReason>({
  name: 'wns',
  http1: true,
  idOf: (row) => (0x2a00_0000_0000 + row).toString(16).toUpperCase(),
  reasons: WNS_REASONS,
  refusals: {
    dead: 'Gone',
    badToken: 'NotFound',
    throttled: 'NotAcceptable',
    unavailable: 'ServiceUnavailable',
    serverError: 'InternalServerError',
    payloadRefused: 'RequestEntityTooLarge',
    wrongTopic: 'Forbidden',
    expiredAuth: 'Unauthorized',
  },
  retryAfter: [503],
  // The bodies of replies are empty: nothing in them can be cut off.
  malformed: '',
  open(deps) {
    const { accessTokens } = deps;
    const flawOf = ({ method, headers, body }: ProviderRequest): WnsReason | undefined => {
      if (method !== 'POST') return 'MethodNotAllowed';
      const token = accessTokens.findBearer(headers.authorization ?? '');
      if (token === undefined || accessTokens.isExpired(token)) return 'Unauthorized';
      if (!token.scopes.includes(SCOPE)) return 'Forbidden';
      return notificationFlaw(headers, body);
    };
    return {
      grant: clientGrants('wns', tokenEndpoint, deps),
      receive(request) {
        const { path, headers, body } = request;
        const special = parseWnsPath(path);
        return {
          push: {
            token: path,
            hash: hashInNotification(body),
            collapseId: textOf(headers['x-wns-tag']),
            id: '',
            payload: body,
          },
          credential: headers.authorization ?? '',
          flaw: flawOf(request) ?? (special ? undefined : 'NotFound'),
          special,
        };
      },
      accepted: (_push, id) => replyWith(200, ['x-wns-msg-id', id, 'x-wns-notificationstatus', 'received']),
      refused(reason) {
        const status = WNS_REASONS[reason];
        return replyWith(status, [status === 200 ? 'x-wns-notificationstatus' : 'x-wns-error-description', reason]);
      },
    };
  },
});
