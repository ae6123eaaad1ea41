import { z } from 'zod';
import { json13 } from '../families/json13.ts';
import { applicationCode } from '../fields/application.ts';
import { nothing, object } from '../values.ts';

const definition = {
  scope: 'device',
  input: object({ application: applicationCode }),
  output: nothing,
  examples: [{ request: { application: 'A1B2C-3D4E5', hwid: 'phone-1' }, reply: undefined }],
} as const;

/** A page was seen: answered, and nothing is kept of it (R-X1). */
export const pageVisit = json13('pageVisit', definition);

/** An in-app asks what to do: answered, and nothing is kept of it (R-X1). */
export const triggerInAppAction = json13('triggerInAppAction', definition);

/** Something was touched in rich media: answered, and nothing is kept of it (R-X1). */
export const richMediaAction = json13('richMediaAction', definition);

/** There are no in-apps (R-X1). */
export const getInApps = json13('getInApps', {
  ...definition,
  output: z.object({ inApps: z.array(z.never()) }),
  examples: [{ request: { application: 'A1B2C-3D4E5', hwid: 'phone-1' }, reply: { inApps: [] } }],
});
