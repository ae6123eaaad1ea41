import type { z } from 'zod';

export function dotted(path: readonly PropertyKey[]): string {
  let text = '';
  for (const part of path) {
    if (typeof part === 'number') text += `[${part}]`;
    else text += text === '' ? String(part) : `.${String(part)}`;
  }
  return text;
}

/** `<path>: <reason>`, or the reason alone if it is a whole text (R-ER2). */
export function issueText(issue: z.core.$ZodIssue): string {
  const isWhole = issue.code === 'custom' && issue.params?.['whole'] === true;
  return isWhole || issue.path.length === 0 ? issue.message : `${dotted(issue.path)}: ${issue.message}`;
}
