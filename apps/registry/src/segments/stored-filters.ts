import type { LiveFilter } from '@tidings/audience';
import { Expression } from '@tidings/events';
import { Refusal } from '@tidings/kernel';
import type { Tags } from '@tidings/registry-store';
import { depthOf, MAX_DEPTH, renewed, tagsIn } from '@tidings/segments';

/** Undefined if the nesting exceeds the decoder's limit. */
const decoded = (bytes: Uint8Array): Expression | undefined => {
  try {
    return Expression.decode(bytes);
  } catch {
    return undefined;
  }
};

/** Conditions on deleted tags match no device (R-D2). */
export async function meaningOf(filter: LiveFilter, tags: Tags): Promise<Expression> {
  const stored = decoded(filter.expression);
  const tagSet = await tags.of(filter.account);
  const names = stored ? [...tagsIn(stored)] : [];
  const set = names.every((tag) => tagSet.numbered(tag)) ? tagSet : await tags.read(filter.account);
  const expression = stored && renewed(stored, (tag) => set.numbered(tag) !== undefined);
  if (!expression || depthOf(expression) > MAX_DEPTH) throw new Refusal('nested too deeply');
  return expression;
}
