import { Fault } from '@tidings/kernel';
import type { z } from 'zod';
import type { Method, Scope } from '../method.ts';
import { define, type Definition } from './define.ts';

interface ApiV2<Input extends z.ZodType, Output extends z.ZodType> extends Definition<Input, Output> {
  readonly scope: Extract<Scope, 'server'>;
}

export const apiV2 = <Input extends z.ZodType, Output extends z.ZodType>(
  route: string,
  definition: ApiV2<Input, Output>,
): Method<z.output<Input>, z.output<Output>> =>
  define(
    { family: 'apiV2', name: route, verb: 'POST', path: `/api/v2/${route}`, scope: definition.scope },
    definition,
    (path) => Fault.argument(`${path} is required`),
  );
