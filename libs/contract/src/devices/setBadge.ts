import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { hwid } from '../fields/device.ts';
import { optionalUnless } from '../presence.ts';
import { integerOf, nothing, object, optional } from '../values.ts';

/** Clients store it in 32 bits, signed. */
const MAX_BADGE = 2_147_483_647;

const number = integerOf(0, MAX_BADGE);

export const setBadge = json13('setBadge', {
  description: 'Stores the badge number of a device; later "+n" badges start from it.',
  scope: 'device',
  omitResponse: true,
  input: object({
    application: applicationCode,
    hwid,
    badge: optionalUnless(number, ({ badge, badges }) =>
      (badge ?? badges ?? null) === null ? 'badge' : undefined,
    ).describe('Number on the app icon. Later changes such as `+1` start from it.'),
    badges: optional(number).describe('Another name of `badge`, which prevails'),
  }).transform(({ badge, badges, ...device }) => ({ ...device, badge: badge ?? badges! })),
  output: nothing,
  examples: [{ request: { application: 'A1B2C-3D4E5', hwid: 'phone-1', badge: 3 }, reply: undefined }],
});
