import type { z } from 'zod';
import { compiledOnFirstUse, parsed } from './compiled.ts';

/** Issues get `path` as prefix. The schema is compiled at its first use. */
export function parseWithin<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  context: z.core.ParsePayload,
  path: readonly PropertyKey[],
): z.output<Schema> | undefined {
  const result = parsed(compiledOnFirstUse(schema), value);
  if ('data' in result) return result.data;
  const { issue } = result;
  context.issues.push({
    code: 'custom',
    message: issue.message,
    params: issue.code === 'custom' ? issue.params : undefined,
    path: [...path, ...issue.path],
    input: value,
  });
  return undefined;
}
