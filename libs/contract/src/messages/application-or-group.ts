import type { z } from 'zod';
import { applicationCode } from '../fields/application.ts';
import { isGiven, optionalUnless } from '../presence.ts';
import { optional, whole } from '../values.ts';
import type { Recipients } from './recipients.ts';

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

export function refuseBoth({ application, applications_group: group }: Given, { issues }: z.core.ParsePayload): void {
  if (application === undefined || group === undefined) return;
  const { error: message, params } = whole('application and applications_group must not be used together');
  issues.push({ code: 'custom', message, params, input: group });
}

/** These names mean devices of one application; contacts belong to every one. */
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

export const toApplicationOrGroup = ({ application = '', applications_group: group = '' }: Given) => ({
  application,
  group,
});
