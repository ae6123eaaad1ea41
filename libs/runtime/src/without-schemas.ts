import { Fault } from '@tidings/kernel';

const unused = (): never => {
  throw Fault.bug('a route has a schema of Fastify');
};

/**
 * Options of a Fastify server without schemas: bodies are checked by the contract. By default every server loads the compilers of schemas, 230 files,
 * which take 90 ms of CPU time at the start of each process.
 */
export const withoutSchemas = {
  schemaController: { compilersFactory: { buildValidator: unused, buildSerializer: unused } },
};
