export { type DispatcherDeps, type DispatcherService, openDispatcher } from './dispatcher.ts';
