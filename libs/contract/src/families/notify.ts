import { Fault } from '@tidings/kernel';
import type { z } from 'zod';
import { markedAs } from '../lone-surrogates.ts';
import type { Method } from '../method.ts';
import { snakeCased } from '../notify/snake-case.ts';
import { define, type Definition } from './define.ts';

export function notifyMethod<Input extends z.ZodType, Output extends z.ZodType>(
  name: string,
  definition: Definition<Input, Output>,
): Method<z.output<Input>, z.output<Output>> {
  const method = define(
    { family: 'notify', name, verb: 'POST', path: `/messaging/v2/${name}`, scope: 'server' },
    definition,
    (path) => Fault.argument(`${path} is required`),
  );
  return {
    ...method,
    application: (request) => method.application(snakeCased(definition.input, request)),
    missing: (request) => method.missing(snakeCased(definition.input, request)),
    parse: (request) => method.parse(markedAs(request, snakeCased(definition.input, request))),
  };
}
