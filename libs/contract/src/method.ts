import type { Fault } from '@tidings/kernel';
import type { z } from 'zod';

export type Family = 'json13' | 'apiV2' | 'audience' | 'notify' | 'admin';

/** `none`: a token that is given must be valid (R-T3, R-T4, R-L1); `optional`: an API token in the body or the header (R-G3). */
export type Scope = 'api' | 'device' | 'server' | 'admin' | 'none' | 'optional';

export type Verb = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** The content of `request`, a bare body, path and query (audience), or body and path (admin). */
export type Request = Readonly<Record<string, unknown>>;

/** Its entries are validated independently of each other. */
export interface EntryList {
  readonly field: string;
  readonly max: number;
  readonly tooMany: string;
  readonly perStep: number;
}

export interface Example<Output> {
  readonly request: Request;
  readonly reply: Output;
}

export interface Method<Input = unknown, Output = unknown> {
  readonly family: Family;
  readonly name: string;
  readonly description: string;
  readonly verb: Verb;
  /** From the root, with `{name}` for path parameters. */
  readonly path: string;
  readonly scope: Scope;
  readonly status: 200 | 201 | 202 | 204;
  /** Unpacked; bodies with a raised limit may be compressed by gzip (R-LM1). */
  readonly maxBodyBytes: number;
  readonly entries?: EntryList;
  readonly deadlineMs: number;
  /** A 210 reply has `{"Messages":[]}` instead of null (R-ER8). */
  readonly messagesOn210: boolean;
  /** A success has no `response` key (R-ER9). */
  readonly omitResponse: boolean;
  readonly body: 'wrapped' | 'bare' | 'either';
  /** A missing or invalid token is a 401 (R-T4). */
  readonly unauthorized: boolean;
  /** A success is a plain text without an envelope (R-B4). */
  readonly textReply: boolean;
  readonly input: z.ZodType<Input>;
  readonly output: z.ZodType<Output>;
  readonly examples: readonly Example<Output>[];
  application(request: Request): unknown;
  /** The first absent required argument, in the specification's order (R-ER2). */
  missing(request: Request): Fault | undefined;
  /** Call it when nothing is missing. @throws the fault of the first invalid value */
  parse(request: Request): Input;
  /** {@link parse} in short steps, for many entries. */
  steps?(request: Request): Generator<void, Input>;
}

export type InputOf<M> = M extends Method<infer Input, infer _Output> ? Input : never;
export type OutputOf<M> = M extends Method<infer _Input, infer Output> ? Output : never;
