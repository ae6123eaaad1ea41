import type { z } from 'zod';
import { applicationCode } from '../fields/application.ts';
import { isGiven, optionalUnless } from '../presence.ts';
import { optional, whole } from '../values.ts';
import type { Recipients } from './recipients.ts';

/** An application, or a group of them in its place (R-I2). */
export const applicationOrGroup = {
  application: optionalUnless(applicationCode, (request) =>
    isGiven(request['application']) || isGiven(request['applications_group']) ? undefined : 'application',
  ),
  applications_group: optional(applicationCode).describe(
    'Code of a group of applications, in place of `application`: the message is sent to the devices of all of ' +
      'them. `devices` and `users` must not be given then.',
  ),
};

interface Given {
  readonly application?: string | undefined;
  readonly applications_group?: string | undefined;
}

/** Refuses a request with both. */
export function refuseBoth({ application, applications_group: group }: Given, { issues }: z.core.ParsePayload): void {
  if (application === undefined || group === undefined) return;
  const { error: message, params } = whole('application and applications_group must not be used together');
  issues.push({ code: 'custom', message, params, input: group });
}

/** Refuses devices and users for a group: these names mean devices of one application. Contacts are those of every application. */
export function refuseListed(
  { applications_group: group }: Given,
  recipients: readonly Recipients[],
  { issues }: z.core.ParsePayload,
): void {
  const listed = group === undefined ? undefined : recipients.find((each) => 'names' in each && each.kind !== 'to');
  if (!listed) return;
  const { error: message, params } = whole(`${listed.kind} must not be used with applications_group`);
  issues.push({ code: 'custom', message, params, input: group });
}

/** Codes; one of them is "". */
export const toApplicationOrGroup = ({ application = '', applications_group: group = '' }: Given) => ({
  application,
  group,
});
