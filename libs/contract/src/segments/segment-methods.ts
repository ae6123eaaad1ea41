import { compileFilter } from './compileFilter.ts';
import { createFilter } from './createFilter.ts';
import { deleteFilter } from './deleteFilter.ts';
import { listFilters } from './listFilters.ts';

export const segmentMethods = {
  createFilter,
  listFilters,
  deleteFilter,
  compileFilter,
} as const;
