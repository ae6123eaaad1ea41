import { z } from 'zod';

const compiled = new WeakMap<z.ZodType, z.ZodType>();

/** The first call generates the parser, which takes 10 to 100 ms. @throws ZodCompileUnsupportedError for recursive schemas */
export function compiledOnFirstUse<Schema extends z.ZodType>(schema: Schema): Schema {
  const cached = compiled.get(schema);
  if (cached) return cached as Schema;
  const made = z.compile(schema, { strict: true });
  compiled.set(schema, made);
  return made;
}

export type Parsed<Data> = { readonly data: Data } | { readonly issue: z.core.$ZodIssue };

/** Completes only the first issue: a hostile request has many. */
export function parsed<Schema extends z.ZodType>(schema: Schema, value: unknown): Parsed<z.output<Schema>> {
  const context: z.core.ParseContextInternal = { async: false };
  const result = schema._zod.run({ value, issues: [] }, context) as z.core.ParsePayload<z.output<Schema>>;
  const [issue] = result.issues;
  return issue ? { issue: z.core.util.finalizeIssue(issue, context, z.core.config()) } : { data: result.value };
}
