export { type Comparable, deviceTraits } from './condition.ts';
export { type ConditionTerm, compile, namesIn } from './language/compile.ts';
export { parse } from './language/parse.ts';
export { type Argument, type Call, type Parsed, type Syntax } from './language/syntax.ts';
export {
  canMatch,
  compilePredicate,
  type Predicate,
  type SiblingConditions,
  type TagValues,
  type Viewpoint,
} from './predicate.ts';
export { type SiblingTests, siblingTests } from './siblings.ts';
export { applicationsOfTags, depthOf, MAX_DEPTH, renewed, tagsIn } from './tree.ts';
export {
  canLookUp,
  chooseLookup,
  type DeviceLayout,
  INDEXED_LENGTH,
  type Lookup,
  type Sample,
  type ScanPlan,
  scanPlan,
} from './scan-plan.ts';
