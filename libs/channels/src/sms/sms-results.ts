import { fieldsOf, jsonIn } from '../reply-fields.ts';
import {
  type ErrorCategory,
  final,
  interned,
  type Refusal,
  retry,
  sent,
  type ResultRow,
  type SendResult,
  type Then,
  unlisted,
} from '../send-results.ts';

interface Row extends ResultRow {
  readonly name: string;
}

const row = (category: ErrorCategory, name: string, then: Then = final): Row => ({ category, name, then });

const byStatus: ReadonlyMap<number, Row> = new Map([
  [0x01, row('INVALID_CONTENT', 'ESME_RINVMSGLEN')],
  [0x02, row('INTERNAL_ERROR', 'ESME_RINVCMDLEN')],
  [0x03, row('INTERNAL_ERROR', 'ESME_RINVCMDID')],
  [0x04, row('INTERNAL_ERROR', 'ESME_RINVBNDSTS')],
  [0x08, row('PROVIDER_ERROR', 'ESME_RSYSERR', retry())],
  [0x0a, row('INVALID_CONFIGURATION', 'ESME_RINVSRCADR')],
  [0x0b, row('INVALID_TOKEN', 'ESME_RINVDSTADR')],
  [0x0d, row('INVALID_CONFIGURATION', 'ESME_RBINDFAIL')],
  [0x0e, row('INVALID_CONFIGURATION', 'ESME_RINVPASWD')],
  [0x0f, row('INVALID_CONFIGURATION', 'ESME_RINVSYSID')],
  [0x14, row('QUOTA_EXCEEDED', 'ESME_RMSGQFUL', retry())],
  [0x45, row('PROVIDER_ERROR', 'ESME_RSUBMITFAIL', retry())],
  [0x58, row('QUOTA_EXCEEDED', 'ESME_RTHROTTLED', retry(1000, 'credential'))],
  [0x61, row('INVALID_CONTENT', 'ESME_RINVSCHED')],
  [0x62, row('INVALID_CONTENT', 'ESME_RINVEXPIRY')],
  [0x64, row('PROVIDER_ERROR', 'ESME_RX_T_APPN', retry())],
  [0x65, row('PROVIDER_ERROR', 'ESME_RX_P_APPN')],
  [0x66, row('PROVIDER_ERROR', 'ESME_RX_R_APPN')],
  [0xff, row('UNCLASSIFIED_ERROR', 'ESME_RUNKNOWNERR')],
]);

const hex = (status: number): string => `0x${status.toString(16).toUpperCase().padStart(2, '0')}`;

const smppResultOf = interned((status): SendResult => {
  const listed = byStatus.get(status) ?? row('UNCLASSIFIED_ERROR', 'unknown_status');
  return { ...listed, code: hex(status) };
});

export const smppResult = (status: number): SendResult => smppResultOf(status, '');

const byCode: ReadonlyMap<number, Row> = new Map([
  [20_003, row('INVALID_CONFIGURATION', 'authentication_failed')],
  [20_404, row('INVALID_CONFIGURATION', 'account_not_found')],
  [20_429, row('QUOTA_EXCEEDED', 'too_many_requests', retry())],
  [21_211, row('INVALID_TOKEN', 'invalid_to')],
  [21_212, row('INVALID_CONFIGURATION', 'invalid_from')],
  [21_266, row('INVALID_TOKEN', 'to_equals_from')],
  [21_408, row('INVALID_CONFIGURATION', 'region_not_permitted')],
  [21_602, row('INVALID_CONTENT', 'body_required')],
  [21_603, row('INVALID_CONFIGURATION', 'from_required')],
  [21_606, row('INVALID_CONFIGURATION', 'from_cannot_send')],
  [21_609, row('INVALID_CONFIGURATION', 'invalid_status_callback')],
  [21_610, row('INVALID_TOKEN', 'unsubscribed_recipient')],
  [21_611, row('QUOTA_EXCEEDED', 'queue_full', retry())],
  [21_612, row('INVALID_TOKEN', 'unreachable_to')],
  [21_614, row('INVALID_TOKEN', 'not_a_mobile_number')],
  [21_617, row('INVALID_CONTENT', 'body_too_long')],
  [21_620, row('INVALID_CONTENT', 'invalid_media_url')],
  [21_623, row('INVALID_CONTENT', 'too_many_media')],
  [21_659, row('INVALID_CONFIGURATION', 'from_not_owned')],
]);

const byHttpStatus: ReadonlyMap<number, ErrorCategory> = new Map([
  [401, 'INVALID_CONFIGURATION'],
  [403, 'INVALID_CONFIGURATION'],
]);

const UNREADABLE = 'unreadable_reply';

const twilioResultOf = interned((status, name): SendResult => {
  const listed = byCode.get(Number(name));
  if (listed) return { ...listed, code: name };
  const category = byHttpStatus.get(status);
  return category
    ? { category, code: name === '' || name === UNREADABLE ? String(status) : name, name, then: final }
    : unlisted(status, name);
});

function codeIn(body: string): string | undefined {
  const reply = jsonIn(body);
  if (reply === undefined) return undefined;
  const { code } = fieldsOf(reply);
  return typeof code === 'number' || typeof code === 'string' ? String(code) : '';
}

export const twilioRefusal = (status: number, body: string): Refusal => ({
  result: status >= 200 && status < 300 ? sent : twilioResultOf(status, codeIn(body) ?? UNREADABLE),
});
