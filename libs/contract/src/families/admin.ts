import { Fault } from '@tidings/kernel';
import type { z } from 'zod';
import type { Method, Verb } from '../method.ts';
import { define, type Definition } from './define.ts';

interface Admin<Input extends z.ZodType, Output extends z.ZodType> extends Definition<Input, Output> {
  /** Below `/admin/v1/`; parameters in braces join the fields of the body. */
  readonly route: `${Verb} ${string}`;
  readonly status?: Method['status'];
}

/** Some methods query every process of the system. */
const DEADLINE_MS = 60_000;

/** Acts on applications of any account, so none is looked up in advance (R-T8). */
export function admin<Input extends z.ZodType, Output extends z.ZodType>(
  name: string,
  definition: Admin<Input, Output>,
): Method<z.output<Input>, z.output<Output>> {
  const space = definition.route.indexOf(' ');
  return define(
    {
      family: 'admin',
      name,
      verb: definition.route.slice(0, space) as Verb,
      path: `/admin/v1/${definition.route.slice(space + 1)}`,
      scope: 'admin',
      status: definition.status ?? 200,
    },
    { deadlineMs: DEADLINE_MS, ...definition, application: () => undefined },
    (path) => Fault.argument(`${path} is required`),
  );
}
