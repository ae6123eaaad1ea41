import { Fault } from '@tidings/kernel';
import type { z } from 'zod';
import type { Method, Scope, Verb } from '../method.ts';
import { define, type Definition } from './define.ts';

interface Audience<Input extends z.ZodType, Output extends z.ZodType> extends Definition<Input, Output> {
  readonly scope: Extract<Scope, 'api' | 'optional'>;
  readonly maxBodyBytes?: number;
}

/**
 * A method of `/api/v2/audience/` with bare bodies, every fault of which is a `{message}` (Spec G, R-ER3). `route` is a verb and what follows
 * that prefix, which names the method; parameters in braces and those of the query join the fields of the body.
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
    // A question names a job alone: what else stands in its query tells nobody whether an application exists (R-T5).
    verb === 'GET' ? { ...definition, application: () => undefined } : definition,
    (missing) => Fault.argument(`${missing} is required`),
  );
}
