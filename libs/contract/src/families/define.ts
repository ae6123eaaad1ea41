import { Fault } from '@tidings/kernel';
import type { z } from 'zod';
import { compiledOnFirstUse, type Parsed, parsed } from '../compiled.ts';
import { issueText } from '../issue.ts';
import { hasLoneSurrogates, wellFormed } from '../lone-surrogates.ts';
import type { EntryList, Example, Method, Request } from '../method.ts';
import { missingIn, shapeFor } from '../presence.ts';

export interface Definition<Input extends z.ZodType, Output extends z.ZodType> {
  readonly description: string;
  readonly input: Input;
  readonly output: Output;
  readonly examples: readonly Example<z.output<Output>>[];
  /** @default the field `application`, if the input has one: elsewhere it is unknown and ignored (R-ER1) */
  readonly application?: (request: Request) => unknown;
  readonly deadlineMs?: number;
  readonly entries?: Method['entries'];
  /** The first request compiles the checks, which stops the process meanwhile. @default true */
  readonly isCompiled?: boolean;
}

type Given = Pick<Method, 'family' | 'name' | 'verb' | 'path' | 'scope'> &
  Partial<
    Pick<Method, 'status' | 'maxBodyBytes' | 'messagesOn210' | 'omitResponse' | 'textReply' | 'body' | 'unauthorized'>
  >;

export const BODY_LIMIT_BYTES = 10 * 1024 * 1024;

/** Larger bodies wait for gateway memory, and have more time to arrive. */
export const SMALL_BODY_BYTES = 256 * 1024;

export interface BodyLimits {
  readonly members: number;
  readonly names: number;
  /** Commas and opening brackets outside of texts. */
  readonly values: number;
  readonly entryValues: number;
}

const BULK_LIMITS: BodyLimits = { members: 4_000_000, names: 100_000, values: 6_000_000, entryValues: 100_000 };
const ENTRIES_LIMITS: BodyLimits = { members: 200_000, names: 100_000, values: 400_000, entryValues: 20_000 };
/** Few enough to be validated at once. */
const REQUEST_LIMITS: BodyLimits = { members: 25_000, names: 25_000, values: 25_000, entryValues: 25_000 };

export const bodyLimitsOf = ({ maxBodyBytes, entries }: Pick<Method, 'maxBodyBytes' | 'entries'>): BodyLimits => {
  if (!entries) return REQUEST_LIMITS;
  return maxBodyBytes > BODY_LIMIT_BYTES ? BULK_LIMITS : ENTRIES_LIMITS;
};

/** For the arrival of a small body, and the work on it. */
export const REQUEST_MS = 10_000;

/** For the arrival of a body over {@link SMALL_BODY_BYTES}; the work has a limit of its own. */
export const UPLOAD_MS = 120_000;

const applicationField = (request: Request): unknown => request['application'];

/** An unknown shape counts as one with the field: an application is never left unauthorized. */
function applicationOf(input: z.ZodType): Method['application'] {
  const shape = shapeFor(input, {});
  return !shape || 'application' in shape ? applicationField : () => undefined;
}

function outputOf<Data>(request: Request, result: Parsed<Data>, offset = 0): Data {
  if ('data' in result) return hasLoneSurrogates(request) ? wellFormed(result.data) : result.data;
  const { issue } = result;
  const path = issue.path.map((part, index) => (index === 1 && typeof part === 'number' ? part + offset : part));
  throw Fault.argument(issueText({ ...issue, path }).toWellFormed());
}

function* inSteps<Data>(
  { field, max, perStep, tooMany }: EntryList,
  request: Request,
  validated: (request: Request) => Parsed<Data>,
): Generator<void, Data> {
  const given = request[field];
  if (!Array.isArray(given) || given.length <= perStep) return outputOf(request, validated(request));
  const entries: unknown[] = [];
  let data: Data | undefined;
  for (let from = 0; from < given.length; from += perStep) {
    const part = { ...request, [field]: given.slice(from, from + perStep) as unknown[] };
    data = outputOf(request, validated(part), from);
    if (given.length > max) throw Fault.argument(`${field}: ${tooMany}`);
    for (const entry of (data as Readonly<Record<string, unknown[]>>)[field]!) entries.push(entry);
    yield;
  }
  return { ...data!, [field]: entries };
}

export function define<Input extends z.ZodType, Output extends z.ZodType>(
  given: Given,
  definition: Definition<Input, Output>,
  missingFault: (path: string) => Fault,
): Method<z.output<Input>, z.output<Output>> {
  const {
    description,
    input,
    output,
    examples,
    application = applicationOf(input),
    deadlineMs = REQUEST_MS,
  } = definition;
  const { isCompiled = true, entries } = definition;
  const missingPath = missingIn(input);
  const validated = (request: Request) => parsed(isCompiled ? compiledOnFirstUse(input) : input, request);
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
    description,
    input: input as z.ZodType<z.output<Input>>,
    output: output as z.ZodType<z.output<Output>>,
    examples,
    application,
    missing(request) {
      const path = missingPath?.(request);
      return path === undefined ? undefined : missingFault(path);
    },
    parse: (request) => outputOf(request, validated(request)),
    ...(entries && { entries, steps: (request: Request) => inSteps(entries, request, validated) }),
  };
}
