export type { ProviderUrls } from './channels/transports.ts';
export { type DispatcherDeps, type DispatcherService, openDispatcher } from './dispatcher.ts';
