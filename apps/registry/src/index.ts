export { openRegistry } from './registry.ts';
