import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { nothing, object } from '../values.ts';

/**
 * Makes the code unknown for good, everywhere once it is answered, which takes a second; what belongs to it is removed in the background
 * (R-B2). Spec B.
 */
export const deleteApplication = json13('deleteApplication', {
  scope: 'api',
  input: object({ application: applicationCode }),
  output: nothing,
  examples: [{ request: { auth: 'token', application: 'A1B2C-3D4E5' }, reply: undefined }],
});
