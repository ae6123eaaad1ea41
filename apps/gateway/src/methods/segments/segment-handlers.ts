export { compileFilter, createFilter, deleteFilter, listFilters } from './filters.ts';
