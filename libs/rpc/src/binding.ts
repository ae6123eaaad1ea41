import { Fault } from '@tidings/kernel';
import { faultOf } from '@tidings/mongo';

/** Encodes and decodes the messages of a type, as ts-proto generates it. */
export interface Codec {
  encode(message: never): { finish(): Uint8Array };
  decode(bytes: Uint8Array): unknown;
}

/** A method of a service as ts-proto defines it. */
export interface MethodDefinition {
  readonly name: string;
  readonly requestType: Codec;
  readonly requestStream: boolean;
  readonly responseType: Codec;
  readonly responseStream: boolean;
  /** `idempotencyLevel` permits repeating a call that may have been executed. */
  readonly options: { readonly idempotencyLevel?: 'NO_SIDE_EFFECTS' | 'IDEMPOTENT' };
}

/** A service as ts-proto defines it, for both bindings, in process and gRPC. */
export interface ServiceDefinition {
  readonly name: string;
  readonly fullName: string;
  readonly methods: Readonly<Record<string, MethodDefinition>>;
}

/** A method for callers: returns a promise, or a stream for `for await`. */
export type Call = (request: unknown) => unknown;

/**
 * Calls the service directly in this process, behind the same interface that gRPC serves (architecture 3): only the methods of the definition, and
 * only Faults are thrown: `unavailable` if the store does not answer. Messages are passed by reference, and neither side may change them.
 */
export function inProcess<Service extends object>(definition: ServiceDefinition, implementation: Service): Service {
  const bound = Object.entries(definition.methods).map(([method, { responseStream }]): [string, Call] => {
    const call = (implementation as Record<string, Call>)[method];
    if (call === undefined) throw Fault.bug(`${definition.fullName} lacks ${method}`);
    const direct: Call = (request) => call.call(implementation, request);
    return [method, responseStream ? stream(direct) : unary(direct)];
  });
  return Object.fromEntries(bound) as Service;
}

const unary =
  (call: Call): Call =>
  async (request) => {
    try {
      return await call(request);
    } catch (error) {
      throw faultOf(error);
    }
  };

const stream = (call: Call): Call =>
  async function* (request) {
    try {
      yield* call(request) as AsyncIterable<unknown>;
    } catch (error) {
      throw faultOf(error);
    }
  };
