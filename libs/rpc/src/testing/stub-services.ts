import { Fault } from '@tidings/kernel';
import type { ServiceDefinition } from '../binding.ts';
import { type RpcServices, rpcServices } from '../rpc-services.ts';

export function stubServices(given: {
  readonly [Name in keyof RpcServices]?: Partial<RpcServices[Name]>;
}): RpcServices {
  const implementations = new Map(Object.entries<object>(given));
  return Object.fromEntries(
    Object.entries(rpcServices).map(([name, { definition }]) => [
      name,
      { ...failing(definition), ...implementations.get(name) },
    ]),
  ) as RpcServices;
}

const failing = ({ fullName, methods }: ServiceDefinition): object =>
  Object.fromEntries(
    Object.keys(methods).map((method) => [
      method,
      (): never => {
        throw Fault.bug(`${fullName}: ${method} is not expected here`);
      },
    ]),
  );
