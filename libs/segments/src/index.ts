export type { Comparable } from './condition.ts';
export { compilePredicate, type Predicate, type TagValues, type WantedTag } from './predicate.ts';
export {
  canLookUp,
  chooseLookup,
  type DeviceLayout,
  INDEXED_LENGTH,
  type Lookup,
  type Sample,
  scanPlan,
  type ScanPlan,
} from './scan.ts';
