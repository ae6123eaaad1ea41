import { type Fields, fieldsOf, isFields, objectIn, textOf } from '../fields.ts';
import type { Push } from '../ledger/entries.ts';
import type { KakaoErrorName } from './kakao-errors.ts';

export interface ReadRequest {
  readonly push: Push;
  readonly error: KakaoErrorName | undefined;
}

const TEXT_LENGTH = 1000;
const GROUPING_KEY_LENGTH = 100;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';
const fits = (value: unknown): boolean => typeof value === 'string' && [...value].length <= TEXT_LENGTH;

function errorOf(request: Fields, recipient: Fields, isWhole: boolean): KakaoErrorName | undefined {
  if (!isText(request['senderKey'])) return 'NO_SENDER_KEY';
  if (!isText(request['templateCode']) || !isText(recipient['recipientNo'])) return 'BLANK';
  if (!/^\d+$/.test(textOf(recipient['recipientNo']))) return 'UNKNOWN_RECIPIENT';
  if (textOf(recipient['recipientGroupingKey']).length > GROUPING_KEY_LENGTH) return 'INVALID_FIELD';
  const { content, templateParameter: values } = recipient;
  if (isWhole) return isText(content) && fits(content) ? undefined : 'INVALID_FIELD';
  const areValues = values === undefined || (isFields(values) && Object.values(values).every(fits));
  return areValues && content === undefined ? undefined : 'INVALID_FIELD';
}

/** @param isWhole the text is whole, not the values of a template */
export function readRequest(body: Buffer, isWhole: boolean): ReadRequest {
  const request = objectIn(body.toString('utf8')) ?? {};
  const { recipientList: list } = request;
  const recipient = fieldsOf(Array.isArray(list) && list.length === 1 ? list[0] : undefined);
  const [token, hash] = [textOf(recipient['recipientNo']), textOf(recipient['recipientGroupingKey'])];
  const push = { token, hash, collapseId: '', id: '', payload: body };
  return { push, error: errorOf(request, recipient, isWhole) };
}
