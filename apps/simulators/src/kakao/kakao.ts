import { textOf } from '../fields.ts';
import type { Push } from '../ledger/entries.ts';
import { requestOfPhone } from '../phone-numbers.ts';
import { jsonOf, pushSimulator } from '../push-simulator.ts';
import { KAKAO_ERRORS, type KakaoError, type KakaoErrorName, kakaoErrorNamed } from './kakao-errors.ts';
import { readRequest } from './kakao-request.ts';

const PATH = /^\/alimtalk\/v2\.3\/appkeys\/([^/]+)\/(raw-)?messages$/;
const json = jsonOf('application/json;charset=UTF-8');
const SUCCESS: KakaoError = { status: 200, code: 0, message: 'success', recipient: true };

function bodyOf({ code, message, recipient }: KakaoError, { token, hash }: Push, requestId: string): object {
  if (!recipient) return { header: { isSuccessful: false, resultCode: code, resultMessage: message } };
  const result = {
    recipientSeq: 1,
    recipientNo: token,
    resultCode: code,
    resultMessage: message,
    recipientGroupingKey: hash,
  };
  return {
    header: { isSuccessful: true, resultCode: 0, resultMessage: 'success' },
    message: { requestId, senderGroupingKey: '', sendResults: [result] },
  };
}

/** NHN Cloud's Bizmessage API, AlimTalk only, one recipient a request; numbers determine its answers. */
export const kakao = pushSimulator<KakaoErrorName>({
  name: 'kakao',
  http1: true,
  idOf: (row) => `2026011500000${String(row).padStart(12, '0')}`,
  reasons: KAKAO_ERRORS,
  refusals: {
    dead: 'UNKNOWN_RECIPIENT',
    badToken: 'OTHER',
    throttled: 'TOO_MANY_REQUESTS',
    unavailable: 'MAINTENANCE',
    serverError: 'SYSTEM_ERROR',
    payloadRefused: 'TEMPLATE_MISMATCH',
    wrongTopic: 'NO_SENDER_KEY',
    expiredAuth: 'INVALID_SECRET_KEY',
  },
  retryAfter: [503],
  malformed: '{"header":{"isSucc',
  open: () => ({
    receive({ method, path, headers, body }) {
      const [, appKey, whole] = PATH.exec(path) ?? [];
      const { push, error } = readRequest(body, whole !== undefined);
      const credential = textOf(headers['x-secret-key']);
      const flaw = credential === '' ? 'INVALID_SECRET_KEY' : error;
      return {
        push,
        credential,
        flaw: appKey === undefined || method !== 'POST' ? 'INVALID_APP_KEY' : flaw,
        special: requestOfPhone(push.token, kakaoErrorNamed),
      };
    },
    accepted: (push, id) => json(200, bodyOf(SUCCESS, push, id)),
    refused: (name, push) => json(KAKAO_ERRORS[name].status, bodyOf(KAKAO_ERRORS[name], push, '')),
  }),
});
