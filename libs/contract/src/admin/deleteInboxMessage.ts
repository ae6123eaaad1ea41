import { admin } from '../families/admin.ts';
import { namedApplication } from '../fields/application.ts';
import { nothing, object, text } from '../values.ts';

export const deleteInboxMessage = admin('deleteInboxMessage', {
  description: 'Deletes the entries of a message in all inboxes of an application, with status 5, which is final.',
  route: 'DELETE applications/{code}/inbox/{order}',
  status: 204,
  input: object({
    code: namedApplication,
    order: text.describe('`order` of the message.'),
  }).transform(({ code: application, order }) => ({
    application,
    order,
  })),
  output: nothing,
  examples: [{ request: { code: 'A1B2C-3D4E5', order: '811304624128000' }, reply: undefined }],
});
