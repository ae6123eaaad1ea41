import type { z } from 'zod';
import { compiledOnFirstUse } from './compiled.ts';

/**
 * Parses a part of a value with a schema that is chosen at parse time; its issues become those of the context, below `path`. The schema is
 * compiled at its first use, so it should be a constant.
 */
export function parseWithin<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  context: z.core.ParsePayload,
  path: readonly PropertyKey[],
): z.output<Schema> | undefined {
  const result = compiledOnFirstUse(schema).safeParse(value);
  if (result.success) return result.data;
  for (const issue of result.error.issues) {
    context.issues.push({
      code: 'custom',
      message: issue.message,
      params: issue.code === 'custom' ? issue.params : undefined,
      path: [...path, ...issue.path],
      input: value,
    });
  }
  return undefined;
}
