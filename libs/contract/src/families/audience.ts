import { Fault } from '@tidings/kernel';
import type { z } from 'zod';
import type { Method, Scope, Verb } from '../method.ts';
import { define, type Definition } from './define.ts';

interface Audience<Input extends z.ZodType, Output extends z.ZodType> extends Definition<Input, Output> {
  readonly scope: Extract<Scope, 'api' | 'optional'>;
  readonly maxBodyBytes?: number;
}

/**
 * A method of `/api/v2/audience/` with bare bodies, whose faults are all a `{message}` (Spec G, R-ER3). `route` is a verb and the path after that
 * prefix, which names the method. A GET takes its parameters from the path, in braces, and from the query; a POST from its body.
 */
export function audience<Input extends z.ZodType, Output extends z.ZodType>(
  route: `${Extract<Verb, 'GET' | 'POST'>} ${string}`,
  definition: Audience<Input, Output>,
): Method<z.output<Input>, z.output<Output>> {
  const [verb, path] = route.split(' ') as [Verb, string];
  return define(
    {
      family: 'audience',
      name: `audience/${path}`,
      verb,
      path: `/api/v2/audience/${path}`,
      scope: definition.scope,
      ...(definition.maxBodyBytes !== undefined && { maxBodyBytes: definition.maxBodyBytes }),
    },
    // A status request names a job only: its query must not reveal whether an application exists (R-T5).
    verb === 'GET' ? { ...definition, application: () => undefined } : definition,
    (missing) => Fault.argument(`${missing} is required`),
  );
}
