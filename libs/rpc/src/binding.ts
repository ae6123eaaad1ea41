import { Fault } from '@tidings/kernel';

/** A service as ts-proto defines it: what both bindings, in process and gRPC, walk over. */
export interface ServiceDefinition {
  readonly name: string;
  readonly fullName: string;
  readonly methods: Readonly<
    Record<string, { readonly name: string; readonly requestStream: boolean; readonly responseStream: boolean }>
  >;
}

type Call = (request: unknown) => unknown;

/**
 * The service called directly in this process, behind the same interface that gRPC serves (architecture 3): only the methods of the
 * definition, and callers meet nothing but Faults. Messages are passed on as they are and must not be changed by either side.
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
      throw Fault.from(error);
    }
  };

const stream = (call: Call): Call =>
  async function* (request) {
    try {
      yield* call(request) as AsyncIterable<unknown>;
    } catch (error) {
      throw Fault.from(error);
    }
  };
