import type { Fault } from '@tidings/kernel';
import type { z } from 'zod';

/** Which envelope a method's replies wear (Notation of the readings). */
export type Family = 'json13' | 'apiV2' | 'audience' | 'notify' | 'admin';

/**
 * Which token a method demands: an API token as `auth` in the body, a device token in the header, an API token in the header, the
 * administrator's, or none, though a valid one if any (R-T3, R-T4, R-L1); `optional` is an API token in either place that may be missing and must be valid (R-G3).
 */
export type Scope = 'api' | 'device' | 'server' | 'admin' | 'none' | 'optional';

export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The parameters as they came: what `request` holds, a bare body, or body and path parameters together (admin). */
export type Request = Readonly<Record<string, unknown>>;

/** A valid request and the value that a handler answers to it. */
export interface Example<Output> {
  readonly request: Request;
  readonly reply: Output;
}

/** An API method as a value. Validation, envelopes, authorisation and the conformance spec derive from it. */
export interface Method<Input = unknown, Output = unknown> {
  readonly family: Family;
  /** As the API spells it. */
  readonly name: string;
  readonly verb: Verb;
  /** From the root, with `{name}` for path parameters. */
  readonly path: string;
  readonly scope: Scope;
  /** HTTP status of a success. */
  readonly status: 200 | 201 | 204;
  /** What a body may have, unpacked (R-LM1). Where it is more than usual, bodies may come packed by gzip. */
  readonly maxBodyBytes: number;
  /** How long a request may take before it is answered as one that could not be served. */
  readonly deadlineMs: number;
  /** A 210 answers `{"Messages":[]}` instead of null (R-ER8). */
  readonly messagesOn210: boolean;
  /** A success has no `response` key (R-ER9). */
  readonly omitResponse: boolean;
  /** Whether parameters stand in `request`, or are the body themselves. */
  readonly body: 'wrapped' | 'bare' | 'either';
  /** A missing or invalid token is a 401 rather than a 403 (R-T4). */
  readonly unauthorized: boolean;
  /** A success is its text alone, without an envelope (R-B4). */
  readonly textReply: boolean;
  readonly input: z.ZodType<Input>;
  readonly output: z.ZodType<Output>;
  readonly examples: readonly Example<Output>[];
  /** What the request gives as its application, unchecked; undefined or null where it names none. */
  application(request: Request): unknown;
  /** The fault of the first required argument that is absent or null, in the specification's order (R-ER2). */
  missing(request: Request): Fault | undefined;
  /** The request in domain shape. To be called when nothing is missing; throws the fault of the first value that is wrong. */
  parse(request: Request): Input;
}

export type InputOf<M> = M extends Method<infer Input, infer _Output> ? Input : never;
export type OutputOf<M> = M extends Method<infer _Input, infer Output> ? Output : never;
