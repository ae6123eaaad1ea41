import { Fault } from '@tidings/kernel';
import type { z } from 'zod';
import { compiledOnFirstUse } from '../compiled.ts';
import { issueText } from '../issue.ts';
import { hasLoneSurrogates, wellFormed } from '../lone-surrogates.ts';
import type { Example, Method, Request } from '../method.ts';
import { missingIn, shapeFor } from '../presence.ts';

/** The settings of a method in every family. */
export interface Definition<Input extends z.ZodType, Output extends z.ZodType> {
  readonly input: Input;
  readonly output: Output;
  readonly examples: readonly Example<z.output<Output>>[];
  /** @default the field `application` of the request, if the input has one: elsewhere it is an unknown field, which is ignored (R-ER1) */
  readonly application?: (request: Request) => unknown;
  /** @default {@link REQUEST_MS} */
  readonly deadlineMs?: number;
  /** Whether the first request compiles the checks, which stops the process meanwhile. @default true */
  readonly isCompiled?: boolean;
}

type Given = Pick<Method, 'family' | 'name' | 'verb' | 'path' | 'scope'> &
  Partial<
    Pick<Method, 'status' | 'maxBodyBytes' | 'messagesOn210' | 'omitResponse' | 'textReply' | 'body' | 'unauthorized'>
  >;

/** R-LM1. */
export const BODY_LIMIT_BYTES = 10 * 1024 * 1024;

/** Larger bodies wait for gateway memory, and have more time to arrive. */
export const SMALL_BODY_BYTES = 256 * 1024;

/** Maximum number of members of all objects in a body: parsing takes microseconds for each distinct name. */
export const BODY_MEMBERS = 200_000;

/** The same for a bulk request's body, whose objects are many and small. */
export const BULK_BODY_MEMBERS = 4_000_000;

/** Time limit of a request in all: the arrival of a small body, and the work on it. */
export const REQUEST_MS = 10_000;

/** Time limit for the arrival of a body over {@link SMALL_BODY_BYTES}; the limit for the work starts afterwards. */
export const UPLOAD_MS = 120_000;

const applicationField = (request: Request): unknown => request['application'];

/** An input without a known shape counts as one with the field: an application is never left unauthorized. */
function applicationOf(input: z.ZodType): Method['application'] {
  const shape = shapeFor(input, {});
  return !shape || 'application' in shape ? applicationField : () => undefined;
}

/** Makes a method of its definition. The start of a process waits for no checks of fields: the first request compiles them. */
export function define<Input extends z.ZodType, Output extends z.ZodType>(
  given: Given,
  definition: Definition<Input, Output>,
  missingFault: (path: string) => Fault,
): Method<z.output<Input>, z.output<Output>> {
  const { input, output, examples, application = applicationOf(input), deadlineMs = REQUEST_MS } = definition;
  const { isCompiled = true } = definition;
  const missingPath = missingIn(input);
  return {
    status: 200,
    maxBodyBytes: BODY_LIMIT_BYTES,
    deadlineMs,
    messagesOn210: false,
    omitResponse: false,
    body: 'bare',
    unauthorized: false,
    textReply: false,
    ...given,
    input: input as z.ZodType<z.output<Input>>,
    output: output as z.ZodType<z.output<Output>>,
    examples,
    application,
    missing(request) {
      const path = missingPath?.(request);
      return path === undefined ? undefined : missingFault(path);
    },
    parse(request) {
      const result = (isCompiled ? compiledOnFirstUse(input) : input).safeParse(request);
      if (!result.success) throw Fault.argument(issueText(result.error.issues[0]!).toWellFormed());
      // Identities have been checked as they came.
      return hasLoneSurrogates(request) ? wellFormed(result.data) : result.data;
    },
  };
}
