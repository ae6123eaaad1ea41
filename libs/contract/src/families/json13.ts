import { Fault } from '@tidings/kernel';
import type { z } from 'zod';
import type { Method, Scope } from '../method.ts';
import { define, type Definition } from './define.ts';

interface Json13<Input extends z.ZodType, Output extends z.ZodType> extends Definition<Input, Output> {
  readonly scope: Extract<Scope, 'api' | 'device' | 'none'>;
  readonly messagesOn210?: boolean;
  readonly omitResponse?: boolean;
  readonly body?: Method['body'];
  readonly unauthorized?: boolean;
  readonly path?: string;
  readonly textReply?: boolean;
}

export const json13 = <Input extends z.ZodType, Output extends z.ZodType>(
  name: string,
  definition: Json13<Input, Output>,
): Method<z.output<Input>, z.output<Output>> =>
  define(
    {
      family: 'json13',
      name,
      verb: 'POST',
      path: definition.path ?? `/json/1.3/${name}`,
      scope: definition.scope,
      messagesOn210: definition.messagesOn210 ?? false,
      omitResponse: definition.omitResponse ?? false,
      body: definition.body ?? 'wrapped',
      unauthorized: definition.unauthorized ?? false,
      textReply: definition.textReply ?? false,
    },
    definition,
    (path) => Fault.malformed(`Missing required argument: ${path}`),
  );
