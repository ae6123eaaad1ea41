import { json13 } from '../families/json13.ts';
import { nothing, object, text } from '../values.ts';

export const deleteMessage = json13('deleteMessage', {
  description: 'Cancels a message that is not sent yet: it reaches nobody and stays in the history as CANCELED.',
  scope: 'api',
  input: object({ message: text.describe('Code of the message, as createMessage returned it.') }).transform(
    ({ message: code }) => ({ code }),
  ),
  output: nothing,
  examples: [{ request: { auth: 'token', message: 'C3F8-C3863ED4-334AD4F1' }, reply: undefined }],
});
