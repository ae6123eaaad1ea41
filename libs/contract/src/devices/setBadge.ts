import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { hwid } from '../fields/device.ts';
import { integerOf, nothing, object } from '../values.ts';

/** What clients keep badges in. */
const MAX_BADGE = 2_147_483_647;

/** Stores the badge number of a device; later "+n" badges count from it (R-C9). Spec C. */
export const setBadge = json13('setBadge', {
  scope: 'device',
  omitResponse: true,
  input: object({ application: applicationCode, hwid, badge: integerOf(0, MAX_BADGE) }),
  output: nothing,
  examples: [{ request: { application: 'A1B2C-3D4E5', hwid: 'phone-1', badge: 3 }, reply: undefined }],
});
