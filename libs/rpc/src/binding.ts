import { Fault } from '@tidings/kernel';
import { faultOf } from '@tidings/mongo';

export interface Codec {
  encode(message: never): { finish(): Uint8Array };
  decode(bytes: Uint8Array): unknown;
}

export interface MethodDefinition {
  readonly name: string;
  readonly requestType: Codec;
  readonly requestStream: boolean;
  readonly responseType: Codec;
  readonly responseStream: boolean;
  readonly options: { readonly idempotencyLevel?: 'NO_SIDE_EFFECTS' | 'IDEMPOTENT' };
}

export interface ServiceDefinition {
  readonly name: string;
  readonly fullName: string;
  readonly methods: Readonly<Record<string, MethodDefinition>>;
}

export type Call = (request: unknown) => unknown;

/** Messages pass by reference: neither side may change them. */
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
