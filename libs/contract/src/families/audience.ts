import { Fault } from '@tidings/kernel';
import type { z } from 'zod';
import type { Method, Scope, Verb } from '../method.ts';
import { define, type Definition } from './define.ts';

interface Audience<Input extends z.ZodType, Output extends z.ZodType> extends Definition<Input, Output> {
  readonly scope: Extract<Scope, 'api' | 'optional'>;
  readonly maxBodyBytes?: number;
}

/** A GET takes its parameters from path and query, a POST from its body. Faults are `{message}` (R-ER3). */
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
    // The query of a status request must not reveal whether an application exists (R-T5).
    verb === 'GET' ? { ...definition, application: () => undefined } : definition,
    (missing) => Fault.argument(`${missing} is required`),
  );
}
