import type { MethodDefinition as WireMethod, ServiceDefinition as WireService } from '@grpc/grpc-js';
import type { Codec, MethodDefinition, ServiceDefinition } from '../binding.ts';

type Wire = WireMethod<unknown, unknown>;

const bytesOf = (codec: Codec, message: unknown): Buffer => {
  const { buffer, byteOffset, byteLength } = codec.encode(message as never).finish();
  return Buffer.from(buffer, byteOffset, byteLength);
};

/** proto-loader's codecs would turn dates into 1970 and lose unions. */
export const wireMethod = (service: ServiceDefinition, method: MethodDefinition): Wire => ({
  path: `/${service.fullName}/${method.name}`,
  originalName: method.name,
  requestStream: method.requestStream,
  responseStream: method.responseStream,
  requestSerialize: (message) => bytesOf(method.requestType, message),
  requestDeserialize: (bytes) => method.requestType.decode(bytes),
  responseSerialize: (message) => bytesOf(method.responseType, message),
  responseDeserialize: (bytes) => method.responseType.decode(bytes),
});

const wireMethods = (service: ServiceDefinition): [string, Wire][] =>
  Object.values(service.methods).map((method) => [method.name, wireMethod(service, method)]);

/** Definitions of one full name are one service. */
export const packageDefinition = (services: readonly ServiceDefinition[]): Record<string, WireService> =>
  Object.fromEntries(
    [...Map.groupBy(services, ({ fullName }) => fullName)].map(([fullName, parts]) => [
      fullName,
      Object.fromEntries(parts.flatMap(wireMethods)),
    ]),
  );

export const packagesOf = (services: readonly ServiceDefinition[]): string[] => [
  ...new Set(services.map(({ fullName }) => fullName.slice(0, fullName.lastIndexOf('.')))),
];
