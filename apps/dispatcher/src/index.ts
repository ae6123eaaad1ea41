export { type DispatcherService, openDispatcher } from './dispatcher.ts';
