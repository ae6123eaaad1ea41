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

/** A parsed value, or its first issue. */
export type Parsed<Data> = { readonly data: Data } | { readonly issue: z.core.$ZodIssue };

/** Parses, and completes the first issue alone: to complete all of a hostile request takes longer than to find them. */
export function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown): Parsed<z.output<Schema>> {
  const context: z.core.ParseContextInternal = { async: false };
  const result = schema._zod.run({ value, issues: [] }, context) as z.core.ParsePayload<z.output<Schema>>;
  const [issue] = result.issues;
  return issue ? { issue: z.core.util.finalizeIssue(issue, context, z.core.config()) } : { data: result.value };
}
