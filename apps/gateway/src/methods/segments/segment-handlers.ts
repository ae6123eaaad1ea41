export { compileFilter } from './compileFilter.ts';
export { createFilter } from './createFilter.ts';
export { deleteFilter } from './deleteFilter.ts';
export { listFilters } from './listFilters.ts';
