import type { segmentMethods } from '@tidings/contract';
import type { Serves } from '../../context.ts';
import { compileFilter } from './compileFilter.ts';
import { createFilter } from './createFilter.ts';
import { deleteFilter } from './deleteFilter.ts';
import { listFilters } from './listFilters.ts';

export const segmentHandlers = {
  createFilter,
  listFilters,
  deleteFilter,
  compileFilter,
} satisfies Serves<typeof segmentMethods>;
