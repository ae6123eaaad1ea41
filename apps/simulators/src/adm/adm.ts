import { clientGrants, type GrantError } from '../oauth/client-credentials.ts';
import { jsonOf, pushSimulator } from '../push-simulator.ts';
import { parseSpecialToken } from '../special-tokens.ts';
import { ADM_REASONS, type AdmReason } from './adm-reasons.ts';
import { readMessage } from './adm-message.ts';

export const ADM_TOKEN_PATH = '/auth/O2/token';
const PATH = /^\/messaging\/registrations\/([^/]+)\/messages$/;
const SCOPE = 'messaging:push';
/** `<this><the other one>`. */
const MOVED = 'moved-to:';
const json = jsonOf('application/json');

export const movedToken = (to: string): string => MOVED + to;

function registrationIn(path: string): string | undefined {
  try {
    const id = PATH.exec(path)?.[1];
    return id === undefined ? undefined : decodeURIComponent(id);
  } catch {
    return undefined;
  }
}

const tokenEndpoint = {
  path: ADM_TOKEN_PATH,
  scope: SCOPE,
  members: { scope: SCOPE, token_type: 'bearer' },
  json,
  refused: (error: GrantError) => json(error === 'invalid_client' ? 401 : 400, { error, error_description: 'refused' }),
};

export const adm = pushSimulator<AdmReason>({
  name: 'adm',
  http1: true,
  idOf: (row) => `adm-${row}`,
  reasons: ADM_REASONS,
  refusals: {
    dead: 'Unregistered',
    badToken: 'InvalidRegistrationId',
    throttled: 'MaxRateExceeded',
    unavailable: 'ServiceUnavailable',
    serverError: 'InternalServerError',
    payloadRefused: 'MessageTooLarge',
    wrongTopic: 'InvalidRegistrationId',
    expiredAuth: 'AccessTokenExpired',
  },
  retryAfter: [429, 503],
  malformed: '{"registrationID":"a',
  open(deps) {
    const { accessTokens } = deps;
    const isAuthorized = (authorization: string): boolean => {
      const access = accessTokens.findBearer(authorization);
      return access !== undefined && access.scopes.includes(SCOPE) && !accessTokens.isExpired(access);
    };
    return {
      grant: clientGrants('adm', tokenEndpoint, deps),
      receive({ method, path, headers, body }) {
        const { hash, consolidationKey, error } = readMessage(headers, body);
        const [token, credential] = [registrationIn(path), headers.authorization ?? ''];
        const flaw = isAuthorized(credential) ? error : 'AccessTokenExpired';
        return {
          push: { token: token ?? '', hash, collapseId: consolidationKey, id: '', payload: body },
          credential,
          flaw: token === undefined || method !== 'POST' ? 'InvalidRegistrationId' : flaw,
          special: parseSpecialToken(token ?? ''),
        };
      },
      accepted: ({ token }) =>
        json(200, { registrationID: token.startsWith(MOVED) ? token.slice(MOVED.length) : token }),
      refused: (reason) => json(ADM_REASONS[reason], { reason }),
    };
  },
});
