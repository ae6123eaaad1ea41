export { openRegistry, type RegistryDeps, type RegistryService } from './registry.ts';
