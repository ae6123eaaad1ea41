import type { LiveFilter } from '@tidings/audience';
import { Expression } from '@tidings/events';
import { Fault } from '@tidings/kernel';
import { depthOf, MAX_DEPTH, renewed, tagsIn } from '@tidings/segments';
import type { Tags } from '../tags/tag-cache.ts';

/** Undefined for what is too deep for a decoder: anything else that was encoded can be decoded. */
const decoded = (bytes: Uint8Array): Expression | undefined => {
  try {
    return Expression.decode(bytes);
  } catch {
    return undefined;
  }
};

/**
 * What a filter means now: no device has a value of a tag that was deleted since (R-D2).
 * @throws Fault `argument` `<path>: nested too deeply` for one of earlier that no message could hold
 */
export async function meaningOf(filter: LiveFilter, path: string, tags: Tags): Promise<Expression> {
  const stored = decoded(filter.expression);
  const known = await tags.of(filter.account);
  const asked = stored ? [...tagsIn(stored)] : [];
  const set = asked.every((tag) => known.numbered(tag)) ? known : await tags.read(filter.account);
  const expression = stored && renewed(stored, (tag) => set.numbered(tag) !== undefined);
  if (!expression || depthOf(expression) > MAX_DEPTH) throw Fault.argument(`${path}: nested too deeply`);
  return expression;
}
