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
  /** The list of entries that a bulk request is validated by, a few at a time. @default the request is validated at once */
  readonly entries?: EntryList;
  /** Whether the first request compiles the checks, which stops the process meanwhile. @default true */
  readonly isCompiled?: boolean;
}

/** A list of entries that are validated independently of each other, in the request and in the input. */
export interface EntryList {
  readonly field: string;
  readonly max: number;
}

type Given = Pick<Method, 'family' | 'name' | 'verb' | 'path' | 'scope'> &
  Partial<
    Pick<Method, 'status' | 'maxBodyBytes' | 'messagesOn210' | 'omitResponse' | 'textReply' | 'body' | 'unauthorized'>
  >;

/** R-LM1. */
export const BODY_LIMIT_BYTES = 10 * 1024 * 1024;

/** Larger bodies wait for gateway memory, and have more time to arrive. */
export const SMALL_BODY_BYTES = 256 * 1024;

/** Limits of a body (R-LM1): members of all objects, their distinct names, and commas and brackets, which are about as many as the values. */
export const BODY_LIMITS = { members: 200_000, names: 100_000, values: 400_000, entryValues: 400_000 };

/** The same for a bulk request's body, whose objects are many and small. */
export const BULK_BODY_LIMITS = { members: 4_000_000, names: 100_000, values: 6_000_000, entryValues: 100_000 };

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

/** Identities have been checked as they came. @throws Fault `argument` for the first issue, whose path may begin in a part of a list */
function outputOf<Data>(request: Request, result: z.ZodSafeParseResult<Data>, offset = 0): Data {
  if (result.success) return hasLoneSurrogates(request) ? wellFormed(result.data) : result.data;
  const issue = result.error.issues[0]!;
  const path = issue.path.map((part, index) => (index === 1 && typeof part === 'number' ? part + offset : part));
  throw Fault.argument(issueText({ ...issue, path }).toWellFormed());
}

const ENTRIES_PER_STEP = 250;

/** Validates a request as often as it has parts of its list, so that each step is short. */
function* inSteps<Data>(
  { field, max }: EntryList,
  request: Request,
  validated: (request: Request) => z.ZodSafeParseResult<Data>,
): Generator<void, Data> {
  const given = request[field];
  if (!Array.isArray(given) || given.length <= ENTRIES_PER_STEP) return outputOf(request, validated(request));
  const entries: unknown[] = [];
  let data: Data | undefined;
  for (let from = 0; from < given.length; from += ENTRIES_PER_STEP) {
    const part = { ...request, [field]: given.slice(from, from + ENTRIES_PER_STEP) as unknown[] };
    data = outputOf(request, validated(part), from);
    if (given.length > max) throw Fault.argument(`${field}: at most ${max} entries`);
    for (const entry of (data as Readonly<Record<string, unknown[]>>)[field]!) entries.push(entry);
    yield;
  }
  return { ...data!, [field]: entries };
}

/** Makes a method of its definition. The start of a process waits for no checks of fields: the first request compiles them. */
export function define<Input extends z.ZodType, Output extends z.ZodType>(
  given: Given,
  definition: Definition<Input, Output>,
  missingFault: (path: string) => Fault,
): Method<z.output<Input>, z.output<Output>> {
  const { input, output, examples, application = applicationOf(input), deadlineMs = REQUEST_MS } = definition;
  const { isCompiled = true, entries } = definition;
  const missingPath = missingIn(input);
  const validated = (request: Request) => (isCompiled ? compiledOnFirstUse(input) : input).safeParse(request);
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
    parse: (request) => outputOf(request, validated(request)),
    ...(entries && { steps: (request: Request) => inSteps(entries, request, validated) }),
  };
}
