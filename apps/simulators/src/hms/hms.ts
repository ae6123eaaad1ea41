import { ACCEPTED, type Push } from '../ledger/entries.ts';
import { clientGrants, type GrantError } from '../oauth/client-credentials.ts';
import { jsonOf, pushSimulator, type RecordPush, type Reply } from '../push-simulator.ts';
import { parseSpecialToken } from '../special-tokens.ts';
import { HMS_CODES, type HmsAnswer, type HmsCode } from './codes.ts';
import { readMessage } from './hms-message.ts';

/** On a host of its own at Huawei. */
export const HMS_TOKEN_PATH = '/oauth2/v3/token';
const PATH = /^\/v1\/([^/]+)\/messages:send$/;
const json = jsonOf('application/json; charset=UTF-8');
const SUCCESS: HmsAnswer = { status: 200, code: '80000000', msg: 'Success' };

const tokenEndpoint = {
  path: HMS_TOKEN_PATH,
  members: { token_type: 'Bearer' },
  json,
  refused: (error: GrantError) => json(400, { error: 1101, sub_error: 20003, error_description: error }),
};

const replyOf = ({ status, code, msg }: HmsAnswer, requestId: string): Reply =>
  code === undefined
    ? { status, headers: ['content-type', 'text/html'], body: `<h1>${msg}</h1>` }
    : json(status, { code, msg, requestId });

const partly = (success: number, illegal: readonly string[]): HmsAnswer => ({
  status: 200,
  code: '80100000',
  msg: JSON.stringify({ success, failure: illegal.length, illegal_tokens: illegal }),
});

/** The answer lists the dead tokens. */
function answerToAll(pushes: readonly Push[], record: RecordPush): HmsAnswer {
  const dead = new Set(pushes.filter(({ token }) => /^sim:(dead|badToken):/.test(token)));
  for (const push of pushes) record(push, 200, dead.has(push) ? '80100000' : ACCEPTED);
  if (dead.size === 0) return SUCCESS;
  if (dead.size === pushes.length) return HMS_CODES['80300007'];
  return partly(
    pushes.length - dead.size,
    [...dead].map(({ token }) => token),
  );
}

export const hms = pushSimulator<HmsCode>({
  name: 'hms',
  http1: true,
  idOf: (row) => `1600000000000${row}`,
  reasons: HMS_CODES,
  refusals: {
    dead: '80300007',
    badToken: '80100000',
    throttled: '80300011',
    unavailable: 'TRAFFIC_CONTROL',
    serverError: '81000001',
    payloadRefused: '80300008',
    wrongTopic: '80300002',
    expiredAuth: '80200003',
  },
  retryAfter: [503],
  malformed: '{"code":"8000',
  open(deps) {
    const { accessTokens, ledger } = deps;
    const authFlaw = (authorization: string, app: string): HmsCode | undefined => {
      const token = accessTokens.findBearer(authorization);
      if (token === undefined || encodeURIComponent(token.clientEmail) !== app) return '80200001';
      return accessTokens.isExpired(token) ? '80200003' : undefined;
    };
    return {
      grant: clientGrants('hms', tokenEndpoint, deps),
      receive({ method, path, headers, body }) {
        const { tokens, hash, tag, error } = readMessage(body);
        const pushTo = (token: string): Push => ({ token, hash, collapseId: tag, id: '', payload: body });
        const [token = ''] = tokens;
        const app = PATH.exec(path)?.[1];
        const credential = headers.authorization ?? '';
        const sendAll = (record: RecordPush): Reply =>
          replyOf(answerToAll(tokens.map(pushTo), record), ledger.of('hms').nextId());
        return {
          push: pushTo(token),
          credential,
          flaw: app === undefined || method !== 'POST' ? '80100001' : (authFlaw(credential, app) ?? error),
          special: parseSpecialToken(token),
          sendAll: tokens.length > 1 ? sendAll : undefined,
        };
      },
      accepted: (_push, id) => replyOf(SUCCESS, id),
      refused: (code, { token }, id) => replyOf(code === '80100000' ? partly(0, [token]) : HMS_CODES[code], id),
    };
  },
});
