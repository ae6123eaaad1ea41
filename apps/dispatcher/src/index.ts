export { type DispatcherDeps, type DispatcherService, openDispatcher, type ProviderUrls } from './dispatcher.ts';
