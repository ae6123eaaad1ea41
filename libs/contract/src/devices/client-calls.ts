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

export const pageVisit = json13('pageVisit', {
  description: 'Reports a page visit; accepted and not stored.',
  ...definition,
});

export const triggerInAppAction = json13('triggerInAppAction', {
  description: 'Requests the action of an in-app; accepted and not stored.',
  ...definition,
});

export const richMediaAction = json13('richMediaAction', {
  description: 'Reports an action in rich media; accepted and not stored.',
  ...definition,
});

export const getInApps = json13('getInApps', {
  description: 'Lists in-apps; always empty.',
  ...definition,
  output: z.object({ inApps: z.array(z.never()).describe('Always empty.') }),
  examples: [{ request: { application: 'A1B2C-3D4E5', hwid: 'phone-1' }, reply: { inApps: [] } }],
});
