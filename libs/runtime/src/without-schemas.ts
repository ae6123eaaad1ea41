import { Fault } from '@tidings/kernel';

const unused = (): never => {
  throw Fault.bug('a route has a schema of Fastify');
};

/** Fastify's schema compilers take 90 ms of CPU time at each start. */
export const withoutSchemas = {
  schemaController: { compilersFactory: { buildValidator: unused, buildSerializer: unused } },
};
