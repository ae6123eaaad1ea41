import { type Fields, isFields, objectIn, textOf } from '../fields.ts';

const isText = (value: unknown, max: number): boolean =>
  typeof value === 'string' && value.length > 0 && value.length <= max;
const isPicture = (value: unknown): boolean => isText(value, 2000) && /^https:\/\//.test(String(value));

const hasAction = ({ action }: Fields): boolean =>
  isFields(action) &&
  (action['type'] === 'postback'
    ? isText(action['data'], 300)
    : action['type'] === 'uri' && isText(action['uri'], 1000));

const isCarousel = (template: unknown): boolean => {
  const columns = isFields(template) && template['type'] === 'image_carousel' ? template['columns'] : undefined;
  if (!Array.isArray(columns) || columns.length < 1 || columns.length > 10) return false;
  return columns.every((column) => isFields(column) && isPicture(column['imageUrl']) && hasAction(column));
};

/** Only the types that this service sends. */
function isMessage(message: unknown): boolean {
  if (!isFields(message)) return false;
  switch (message['type']) {
    case 'text':
      return isText(message['text'], 5000);
    case 'image':
      return isPicture(message['originalContentUrl']) && isPicture(message['previewImageUrl']);
    case 'template':
      return isText(message['altText'], 400) && isCarousel(message['template']);
    case 'flex': {
      const { contents } = message;
      return (
        isText(message['altText'], 400) && isFields(contents) && /^(bubble|carousel)$/.test(String(contents['type']))
      );
    }
    default:
      return false;
  }
}

/** "" without a recipient. */
export function lineRequestIn(body: Buffer): { readonly to: string; readonly isValid: boolean } {
  const { to, messages } = objectIn(body.toString('utf8')) ?? {};
  const isValid = Array.isArray(messages) && messages.length >= 1 && messages.length <= 5 && messages.every(isMessage);
  return { to: textOf(to), isValid };
}
