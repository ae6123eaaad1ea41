import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { nothing, object } from '../values.ts';

export const deleteApplication = json13('deleteApplication', {
  description:
    'Deletes an application for good. Once the call returns, after about a second, the code is unknown everywhere; ' +
    'its data is removed in the background.',
  scope: 'api',
  input: object({ application: applicationCode }),
  output: nothing,
  examples: [{ request: { auth: 'token', application: 'A1B2C-3D4E5' }, reply: undefined }],
});
