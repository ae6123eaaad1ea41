import type { Fault } from '@tidings/kernel';
import type { z } from 'zod';

/** The envelope of a method's replies (Notation of the readings). */
export type Family = 'json13' | 'apiV2' | 'audience' | 'notify' | 'admin';

/**
 * The token that a method requires: an API token as `auth` in the body, a device token in the header, an API token in the header, the
 * administrator's, or none, though one that is given must be valid (R-T3, R-T4, R-L1); `optional` is an API token in either place that may be absent and must be valid (R-G3).
 */
export type Scope = 'api' | 'device' | 'server' | 'admin' | 'none' | 'optional';

export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The raw parameters: the content of `request`, a bare body, path and query (audience), or body and path together (admin). */
export type Request = Readonly<Record<string, unknown>>;

/** A list in a request whose entries are validated independently of each other, and are in the input under the same name. */
export interface EntryList {
  readonly field: string;
  readonly max: number;
  /** Why a longer list is refused. */
  readonly tooMany: string;
  /** Number of entries that are validated together. */
  readonly perStep: number;
}

/** A valid request and the handler's value in reply. */
export interface Example<Output> {
  readonly request: Request;
  readonly reply: Output;
}

/** An API method as a value. Validation, envelopes, authorisation and the conformance spec are derived from it. */
export interface Method<Input = unknown, Output = unknown> {
  readonly family: Family;
  /** Name as the API spells it. */
  readonly name: string;
  /** Text of `/openapi.json`. */
  readonly description: string;
  readonly verb: Verb;
  /** From the root, with `{name}` for path parameters. */
  readonly path: string;
  readonly scope: Scope;
  /** HTTP status of a success. */
  readonly status: 200 | 201 | 202 | 204;
  /** Maximum size of a body, unpacked (R-LM1). Bodies with a raised limit may be compressed by gzip. */
  readonly maxBodyBytes: number;
  /** The list that the request is validated by in parts. @default the request is validated at once */
  readonly entries?: EntryList;
  /** Time limit, after which the request is answered as unavailable. */
  readonly deadlineMs: number;
  /** A 210 reply has `{"Messages":[]}` instead of null (R-ER8). */
  readonly messagesOn210: boolean;
  /** A success has no `response` key (R-ER9). */
  readonly omitResponse: boolean;
  /** Whether the parameters are in `request`, or are the body itself. */
  readonly body: 'wrapped' | 'bare' | 'either';
  /** A missing or invalid token is a 401 rather than a 403 (R-T4). */
  readonly unauthorized: boolean;
  /** A success is a plain text without an envelope (R-B4). */
  readonly textReply: boolean;
  readonly input: z.ZodType<Input>;
  readonly output: z.ZodType<Output>;
  readonly examples: readonly Example<Output>[];
  /** The application in the request, unchecked; undefined or null if there is none. */
  application(request: Request): unknown;
  /** The fault of the first required argument that is absent or null, in the specification's order (R-ER2). */
  missing(request: Request): Fault | undefined;
  /** The request in domain shape. Call it when nothing is missing; throws the fault of the first invalid value. */
  parse(request: Request): Input;
  /** {@link parse} in short steps, for requests with many entries. */
  steps?(request: Request): Generator<void, Input>;
}

export type InputOf<M> = M extends Method<infer Input, infer _Output> ? Input : never;
export type OutputOf<M> = M extends Method<infer _Input, infer Output> ? Output : never;
