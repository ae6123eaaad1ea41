import { type Fields, fieldsOf, objectIn, textOf } from '../fields.ts';
import type { Push } from '../ledger/entries.ts';
import type { WhatsAppErrorName } from './whatsapp-errors.ts';

export interface ReadMessage {
  readonly push: Push;
  readonly error: WhatsAppErrorName | undefined;
}

const TEXT_LENGTH = 4096;
const CALLBACK_LENGTH = 512;
const NUMBER = /^\+?[1-9]\d{6,14}$/;
const FILES: ReadonlySet<unknown> = new Set(['image', 'video', 'document']);
const members: ReadonlySet<string> = new Set([
  ...['messaging_product', 'recipient_type', 'to', 'type', 'text', 'template', 'biz_opaque_callback_data'],
]);

const listOf = (value: unknown): readonly Fields[] => (Array.isArray(value) ? value.map(fieldsOf) : []);
const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

function textError(text: Fields): WhatsAppErrorName | undefined {
  if (!isText(text['body'])) return 'PARAMETER_MISSING';
  return [...text['body']].length > TEXT_LENGTH ? 'INVALID_PARAMETER' : undefined;
}

function isParameter(parameter: Fields): boolean {
  const { type } = parameter;
  if (type === 'text') return isText(parameter['text']);
  const file = fieldsOf(parameter[textOf(type)]);
  return FILES.has(type) && (isText(file['link']) || isText(file['id']));
}

function isComponent({ type, parameters, sub_type: kind, index }: Fields): boolean {
  const hasKind = type === 'button' ? kind === 'url' && /^\d$/.test(textOf(index)) : kind === undefined;
  const given = listOf(parameters);
  return hasKind && /^(header|body|button)$/.test(textOf(type)) && given.length > 0 && given.every(isParameter);
}

function templateError(template: Fields): WhatsAppErrorName | undefined {
  if (!isText(template['name']) || !isText(fieldsOf(template['language'])['code'])) return 'PARAMETER_MISSING';
  return listOf(template['components']).every(isComponent) ? undefined : 'VALUE_INVALID';
}

function errorOf(message: Fields): WhatsAppErrorName | undefined {
  const { messaging_product: product, to, type, text, template } = message;
  if (Object.keys(message).some((name) => !members.has(name))) return 'INVALID_PARAMETER';
  if (product !== 'whatsapp') return 'INVALID_PARAMETER';
  if (!NUMBER.test(textOf(to))) return 'VALUE_INVALID';
  if (textOf(message['biz_opaque_callback_data']).length > CALLBACK_LENGTH) return 'INVALID_PARAMETER';
  if (type === 'text') return textError(fieldsOf(text));
  return type === 'template' ? templateError(fieldsOf(template)) : 'INVALID_PARAMETER';
}

/** Refuses unknown members and invalid values, as the Cloud API does. */
export function readMessage(body: Buffer): ReadMessage {
  const message = objectIn(body.toString('utf8')) ?? {};
  const [hash = ''] = textOf(message['biz_opaque_callback_data']).split(' ');
  const push = { token: textOf(message['to']), hash, collapseId: '', id: '', payload: body };
  return { push, error: errorOf(message) };
}
